// Text as core reads it: tokens (core/text/tokens.py), and which word of two sentences is meant (core/text/target_word.py).

const VOWEL_SIGNS = "\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\u0900-\\u0963\\u0966-\\u0df3\\u0e31-\\u0e3a\\u0e47-\\u0e4e\\u102b-\\u103e\\u17b4-\\u17d3";
const LETTER = `[\\p{L}\\p{N}_\\u0300-\\u036f${VOWEL_SIGNS}]`, SIGN = "[\\p{L}\\p{N}_]", JOINER = "\u2060";
const anyCase = (text) => text.replace(/[a-z]/g, (item) => `[${item}${item.toUpperCase()}]`);
const CLITIC = anyCase("n't|'(?:s|m|d|ll|re|ve)"), AFTER = `(?!${LETTER}|-${LETTER})`;
const SHORT = anyCase("mr|mrs|dr|prof|st|jr|sr|lt|sgt|capt|gov|vs|etc|inc|ltd|corp"), SHORT_CAPITAL = "M[Ss]|G[Ee][Nn]|C[Oo][Ll]|R[Ee][Vv]|S[Ee][Nn]|R[Ee][Pp]|C[Oo]|M[Tt]";
const TOKEN = new RegExp([
  `(?:${LETTER}{1,40}[-']){0,5}?${LETTER}{1,40}?(?=(?:${CLITIC})${AFTER})`, `(?:${CLITIC})${AFTER}`,
  `(?:${anyCase("https?")}:\\/\\/|${anyCase("www")}\\.)[^\\s<>"]{1,500}[^\\s<>".,;:!?)\\]']`,
  "[\\p{L}\\p{N}_.+\\-]{1,64}@[\\p{L}\\p{N}_\\-]{1,64}(?:\\.[\\p{L}\\p{N}_\\-]{1,64})+", "(?:[A-Za-z]\\.){2,}",
  `(?:${SHORT}|${SHORT_CAPITAL})\\.(?!${SIGN})`, `${anyCase("nos?")}\\.(?=\\s*\\p{Nd})`,
  "[\\u{1f1e6}-\\u{1f1ff}]{2}", "[0-9#*]\\ufe0f\\u20e3", `[A-Z]{1,4}(?:&[A-Z]{1,4})+(?!${SIGN})`,
  // (?=(…))\\k: what a possessive quantifier takes, it keeps
  `(?=(?<whole>\\p{Nd}+(?:[.,:\\/]\\p{Nd}+)*))\\k<whole>(?=[aApP]\\.[mM]\\.)`,
  `\\p{Nd}{1,2}:\\p{Nd}\\p{Nd}[aApP][mM](?!${SIGN})`,
  "(?=(?<number>\\p{Nd}+(?:[.,:\\/]\\p{Nd}+)+))\\k<number>(?=[\\uac00-\\ud7a3])",
  `(?=(?<amount>\\p{Nd}+(?:(?:,\\p{Nd}{3})*\\.\\p{Nd}+|(?:,\\p{Nd}{3})+)))\\k<amount>(?:(?![\\uac00-\\ud7a3])[\\p{L}\\p{Nl}\\p{No}]){1,10}(?!(?![\\uac00-\\ud7a3])${SIGN})`,
  `\\p{Nd}+(?:[.,:\\/]\\p{Nd}+)*(?:${anyCase("st|nd|rd|th|s|m|km|kg")})?(?![\\p{L}\\p{N}])`,
  `${LETTER}+(?:[\\-'\\u2019]${LETTER}+)*`, "\\.\\.+", "--+", "``", "''",
  "[^\\s](?:[\\ufe0e\\ufe0f\\u{1f3fb}-\\u{1f3ff}]|\\u200d[^\\s\\p{L}\\p{N}_])*",
].join("|"), "gu");
const CLOSES = new RegExp(`^(?:[,.;:!?%)\\]}\\u2026]+|${CLITIC})$`, "u"), OPENERS = new Set("([{$£€#");

const straight = (text) => text.replace(/[\u2019\u2018\u02bc\uff07\u00b4]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(/[\0\x1c-\x1f\x85]/g, " "); // blanks in Python
// Text as it is read: signs in their plain form (core/text/normalization.py), words that a line's end has cut in two joined (core/text/normalization.py).
const INVISIBLE = "\\x01-\\x08\\x0e-\\x1b\\x7f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
const EMOJI = "[\\u2190-\\u2bff\\ufe0f\\u{1f000}-\\u{1faff}]", UNSPACED = "[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff]";
const SIGNS = new RegExp(`(?<emoji>(?<=${EMOJI})\\u200d(?=${EMOJI}))|(?<blank>[\\0\\u2800\\u3164\\uffa0\\ufffc]|(?<=${UNSPACED})\\u200b(?=${UNSPACED}))|(?<hyphen>[\\u2010\\u2011])|(?<ligature>[\\ufb00-\\ufdff\\ufe70-\\ufefc\\u2f00-\\u2fd5\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}])|(?<selector>[\\ufe00-\\ufe0f])|[${INVISIBLE}]`, "gu");
const CUTTABLE = "(?:(?![\\u0e00-\\u0eff\\u1000-\\u11ff\\u1780-\\u17ff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff])\\p{L})", LINE_END = "[ \\t]*[\\r\\n\\u2028]\\s*";
const INNER = `(?:${CUTTABLE}|[\\u00ad\\u200b-\\u200d\\u0300-\\u036f]|[-\\u2010](?=${CUTTABLE}))*`;
const RAISED = "\\u00b9\\u00b2\\u00b3\\u2070\\u2074-\\u2079";
const MARKS = new RegExp(`(?<![^\\s(\\["'\\u201c\\u2018\\u2014\\u2013*\\-])_(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}.,;:!?)\\u2026\\u201d\\u2019])_(?![^\\s.,;:!?)\\]"'\\u201d\\u2019\\u2014\\u2013*\\-])|(?:(?<=(?:(?![\\p{Nd}${RAISED}])[\\p{L}\\p{N}]){3})|(?<=[.,;:!?"'\\u201d\\u2019\\u00bb\\u3040-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3]))[${RAISED}][${RAISED}\\u207b]*(?!${SIGN})`, "gu");
const CUTS = new RegExp(`(?<left>${CUTTABLE}${INNER})(?<sign>[\\u00ad\\u00ac\\x02](?=${LINE_END}|[ \\t\\u00a0])|\\u2011(?=\\u200b|${LINE_END})|[-\\u2010]\\u00ad?)(?<between>\\u200b|${LINE_END}|[ \\t\\u00a0]+)(?=(?<right>${CUTTABLE}${INNER}))`, "gu");
function plainSigns(text) {
  return text.replace(SIGNS, (sign, ...rest) => {
    const { emoji, blank, hyphen, ligature, selector } = rest.at(-1), before = [...text.slice(Math.max(0, rest.at(-3) - 2), rest.at(-3))].at(-1) ?? "", after = text[rest.at(-3) + 1];
    if (emoji || blank || hyphen) return emoji ?? (blank ? " " : "-");
    if (ligature) return sign.normalize("NFKC");
    const isEmoji = /[\p{L}\p{N}]/u.test(before) ? /\p{Nd}/u.test(before) && after === "\u20e3" : before.trim() !== "";
    return selector && isEmoji && "\ufe0e\ufe0f".includes(sign) ? sign : "";
  }).normalize("NFC");
}
function legible(text, joins) {
  return plainSigns(text.replace(CUTS, (whole, left, sign, between, right) => {
    const parts = [left, right].map(plainSigns), isSoft = !"-\u2010\u2011".includes(sign[0]) && /[^ \t\u00a0]/.test(between), isLineEnd = isSoft || between.trim() !== "" || /[\r\n\u2028]/.test(between);
    if (["and", "or", "to"].includes(parts[1].toLowerCase()) && !isSoft && between !== "\u200b") return whole;
    if (isSoft || joins(...parts, isLineEnd)) return left;
    return isLineEnd ? `${left}-` : whole;
  }).replace(MARKS, ""));
}
// Whether a cut word is read without its hyphen: core.text.languages.Language.joins.
function joinsBy(ranks) {
  const FREQUENT = 20_000, SHORTEST = 4;
  return (first, second, isLineEnd) => {
    if (/^\p{Lu}/u.test(second) && !isUpper(first)) return false;
    const [left, right] = [first, second].map(folded), joined = ranks.get(left + right), hyphened = ranks.get(`${left}-${right}`);
    if (!isLineEnd) return joined !== undefined && joined < (ranks.get(right) ?? ranks.size);
    if (joined !== undefined || hyphened !== undefined) return hyphened === undefined || (joined !== undefined && joined < hyphened);
    if ((left + right).includes("-")) return ranks.has(left.split("-").at(-1) + right.split("-")[0]);
    return right.length < SHORTEST || [left, right].some((part) => (ranks.get(part) ?? FREQUENT) >= FREQUENT);
  };
}
const tokenize = (text, joins = () => false) => straight(legible(text, joins)).match(TOKEN) ?? [];
// Hangul without its analyzer: the longest word of the vocabulary that a token begins with, then the vocabulary's joined pieces.
function cutHangul(token, has) {
  const uncut = new Set(), LONGEST = 40; // lengths of endings that no pieces make up; letters of a piece
  function piecesOf(rest) {
    for (let k = Math.min(rest.length, LONGEST); k > 0; k--) {
      if (uncut.has(rest.length - k) || !has(JOINER + rest.slice(0, k))) continue;
      const more = k === rest.length ? [] : piecesOf(rest.slice(k));
      if (more) return [JOINER + rest.slice(0, k), ...more];
    }
    uncut.add(rest.length);
    return null;
  }
  if (!/^[\uac00-\ud7a3]+$/.test(token) || has(token)) return [token];
  for (let k = Math.min(token.length - 1, LONGEST); k > 0; k--) {
    const more = has(token.slice(0, k)) && piecesOf(token.slice(k));
    if (more) return [token.slice(0, k), ...more];
  }
  return [token];
}
const bare = (token) => token.replace(/^\u2060+|\u2060+$/g, "") || token;
const folded = (word) => word.normalize("NFC").toLowerCase().replaceAll("ß", "ss").replaceAll("i\u0307", "i");
const withoutHyphens = (spelling) => spelling.replaceAll("-", "") || spelling;
const hasLetter = (token) => /\p{L}/u.test(token), isWordly = (sign) => /[\p{L}\p{N}]/u.test(sign ?? "");
const isUpper = (text) => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text), hasCapital = (text) => /^\p{Lu}/u.test(text);

// The tokens as they stand in readable text, each with the space before it, where there is one.
function pieces(tokens) {
  let glued = true, open = false;
  return tokens.map((token, k) => {
    const plain = bare(token), before = tokens[k - 1] ?? "", closing = plain === '"' && open;
    const joined = k > 0 && ((token.startsWith(JOINER) && plain !== token) || (before.endsWith(JOINER) && bare(before) !== before));
    const apart = !(glued || closing || joined || CLOSES.test(plain));
    if (plain === '"') open = !open;
    glued = OPENERS.has(plain) || (plain === '"' && open);
    return (apart ? " " : "") + plain;
  });
}
// What stands left of a word, the word, what stands right of it.
function lineAt(tokens, position) {
  const shown = pieces(tokens), left = shown.slice(0, position).join(""), word = shown[position] ?? "";
  return [left.trimStart() + (left && word.startsWith(" ") ? " " : ""), word.trim(), shown.slice(position + 1).join("")];
}

const FIRST = 100, MOST = 50, LEAST = 15, COMMON = 8, MIDDLE = 3.2, DOUBLES = /^[^aeiouy]+[aeiou][^aeiouwxy]$/;

const PLURALS = "cpus gurus hindus israelis kiwis menus nazis plateaus rabbis safaris skis taxis".split(" ");
const NO_PLURALS = "always gas hers its lens news ours theirs yours".split(" "), AFTER_EE = "agreed decreed freed guaranteed kneed refereed treed".split(" ");

// A language's lists, and what they say of words. `ranks`: of a word how many are more frequent.
function newWords(facts, ranks) {
  const set = (name) => new Set(facts[name]), own = set("own"), either = set("either"), common = set("common"), grammar = set("function"), graded = set("graded"), determiners = set("before_nouns");
  const listed = new Map(Object.entries(facts.worth)), irregular = new Map(Object.entries(facts.forms));
  const isOwn = (word) => own.has(folded(word)), isOwnAfter = (word, before) => own.has(word) || (either.has(word) && determiners.has(before));

  function without(word, ending) {
    const base = word.slice(0, -ending);
    if (base.length < 2 || !/[aeiouy]/.test(base)) return [];
    if (base.length === 2) return [["be", "do", "go"].includes(base) ? base : `${base}e`];
    const last = base.at(-1);
    return [...(DOUBLES.test(base) ? [] : [base]), `${base}e`, ...(last === base.at(-2) && !"aeiou".includes(last) ? [base.slice(0, -1)] : [])];
  }
  // What a spelling may be a form of besides itself, by its ending or the list of irregular ones.
  function lemmas(word) {
    if (!irregular.size) return [];
    const result = [...(irregular.get(word) ?? [])], ends = (...endings) => endings.some((item) => word.endsWith(item));
    if (ends("ies") && word.length > 3) result.push(`${word.slice(0, -3)}y`, word.slice(0, -1));
    else if (ends("ses", "xes", "zes", "ches", "shes", "oes")) result.push(word.slice(0, -2), word.slice(0, -1));
    else if (ends("s") && (PLURALS.includes(word) || !(ends("ss", "us", "is") || NO_PLURALS.includes(word)))) result.push(word.slice(0, -1));
    if (ends("ied")) result.push(`${word.slice(0, -3)}y`, word.slice(0, -1));
    else if (ends(...AFTER_EE)) result.push(word.slice(0, -1));
    else if (ends("ed") && !ends("eed")) result.push(...without(word, 2));
    else if (ends("ing")) result.push(...without(word, 3));
    for (const ending of ["er", "est"]) {
      if (!ends(ending)) continue;
      const bases = ends(`i${ending}`) ? [`${word.slice(0, -ending.length - 1)}y`] : without(word, ending.length);
      result.push(...bases.filter((base) => graded.has(base)));
    }
    return [...new Set(result)].filter((item) => item !== word && item.length > 1 && /[aeiouy]/.test(item));
  }
  const dictionaryForms = (word) => (/(?:ing|er|est)$/.test(word) ? [] : lemmas(word).filter((item) => !grammar.has(item)));

  function worth(lemma) {
    const rank = ranks.get(lemma), frequent = rank === undefined ? 0 : 1 / Math.log10(rank + 10);
    if (listed.has(lemma)) return listed.get(lemma) + frequent;
    if (common.has(lemma)) return COMMON + frequent;
    return rank === undefined ? LEAST : Math.max(LEAST, MOST - 10 * Math.abs(Math.log10(rank + 1) - MIDDLE)) + frequent;
  }
  const candidate = (position, spelling, of, parts = []) => ({ position, spelling, joined: withoutHyphens(spelling), worth: of, best: Math.max(...of.values()), parts: new Set(parts) });

  function written(k, tokens) {
    const token = tokens[k], spelling = folded(bare(token)), before = tokens.slice(Math.max(0, k - 2), k).map((item) => folded(bare(item)));
    const determined = before.length > 0 && (determiners.has(before.at(-1)) || determiners.has(before[0]));
    const named = k > 0 && hasCapital(token) && !isUpper(token) && isWordly(bare(tokens[k - 1]).at(-1));
    if (grammar.has(spelling) && !(listed.has(spelling) && (determined || named))) return null;
    const whole = withoutHyphens(spelling), extra = 4 * (before.length > 0 && determiners.has(before.at(-1))) + 4 * determined;
    const of = new Map([whole, ...(isOwnAfter(whole, before.at(-1) ?? "") ? [] : lemmas(whole))].map((item) => [item, (!named || listed.has(item) ? worth(item) : COMMON) + extra]));
    const parts = spelling.includes("-") ? spelling.split("-").filter(Boolean).flatMap((part) => [part, ...lemmas(part)]).filter((item) => !grammar.has(item)) : [];
    return candidate(k, spelling, of, parts);
  }
  // Hangul without its analyzer: a token is worth what a labeled word is that it begins with.
  function hangul(k, token) {
    const spelling = folded(bare(token)), stem = facts.stems.find((item) => spelling.startsWith(item));
    return candidate(k, spelling, new Map([[spelling, LEAST], ...(stem ? [[stem, FIRST]] : [])]));
  }
  const candidates = (tokens) => tokens.map((token, k) => (!hasLetter(bare(token)) ? null : /[\uac00-\ud7a3]/.test(token) ? hangul(k, token) : written(k, tokens))).filter(Boolean);

  function at(list, tokens, position) {
    const spelling = folded(bare(tokens[position]));
    return list.find((item) => item.position === position) ?? candidate(position, spelling, new Map([[spelling, 0]]));
  }
  // The pair of one word: of one spelling, else forms of one word, else sharing a part of a compound. Worth chooses only among pairs of the same kind.
  function shared(of_a, of_b) {
    for (const keys of [(item) => new Set([item.joined]), (item) => new Set(item.worth.keys()), (item) => new Set([...item.parts, ...item.worth.keys()])]) {
      let best = null;
      for (const a of of_a) for (const b of of_b) {
        const other = keys(b), both = [...keys(a)].filter((key) => other.has(key));
        if (!both.length) continue;
        const forms = [...both, ...[...a.worth.keys()].filter((key) => b.worth.has(key))];
        const score = Math.max(...forms.map((key) => Math.min(a.worth.get(key) ?? a.best, b.worth.get(key) ?? b.best)));
        const places = a.position + b.position, name = a.joined < b.joined ? a.joined : b.joined;
        if (!best || score > best.score || (score === best.score && (places < best.places || (places === best.places && name > best.name)))) best = { score, places, name, a, b };
      }
      if (best) return [best.a, best.b];
    }
    return null;
  }
  // The longest spelling that is a word in both sentences, whether it carries grammar or not.
  function longestShared(tokens_a, tokens_b) {
    const words = (tokens) => tokens.flatMap((token, k) => (/^\p{L}+$/u.test(token) ? [[folded(token), k]] : []));
    const pairs = words(tokens_a).flatMap(([word, i]) => words(tokens_b).flatMap(([other, j]) => (word === other ? [{ word, places: [i, j] }] : [])));
    const rank = ({ word, places: [i, j] }) => [[...word].length, -i - j];
    pairs.sort((x, y) => rank(y)[0] - rank(x)[0] || rank(y)[1] - rank(x)[1] || (x.word < y.word) - (x.word > y.word));
    return pairs[0]?.places;
  }
  const letters = (token) => [...token].filter((sign) => hasLetter(sign)).length;
  function placeOf(item, tokens) {
    if (item) return item.position;
    return tokens.length ? tokens.reduce((best, token, k) => (letters(token) > letters(tokens[best]) ? k : best), 0) : null;
  }
  // The positions of the words meant in two sentences; a position in `tapped` stands, and the other sentence follows it.
  function inQuestion(sentences, tapped = [null, null]) {
    const both = sentences.map(candidates);
    tapped.forEach((position, side) => { if (position !== null) both[side] = [at(both[side], sentences[side], position)]; });
    let pair = shared(...both);
    if (!pair && tapped.every((item) => item === null)) {
      pair = shared(...both.map((of, side) => {
        const known = new Set(of.map((item) => item.position)), spelled = new Set(both[1 - side].map((item) => item.spelling));
        return [...of, ...sentences[side].flatMap((token, k) => (!known.has(k) && spelled.has(folded(bare(token))) ? [at(of, sentences[side], k)] : []))];
      }));
      const alike = !pair && both.some((of) => !of.length) && longestShared(...sentences);
      if (alike) return alike;
    }
    const chosen = pair ?? both.map((of) => of.reduce((best, item) => (!best || item.best > best.best ? item : best), null));
    return chosen.map((item, side) => placeOf(item, sentences[side]));
  }
  function sameWord(a, i, b, j) {
    const [x, y] = [[a, i], [b, j]].map(([tokens, k]) => at(candidates(tokens), tokens, k));
    return [...x.worth.keys()].some((key) => y.worth.has(key));
  }
  // The word that a token is read as, where what stands before it settles that ("a saw"); else "".
  function readIn(tokens, position) {
    const spelling = folded(bare(tokens[position])), before = position ? folded(bare(tokens[position - 1])) : "";
    return either.has(spelling) && isOwnAfter(spelling, before) ? spelling : "";
  }
  return { lemmas, dictionaryForms, isOwn, candidates, inQuestion, sameWord, readIn, irregular };
}
