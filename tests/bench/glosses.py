"""Glosses beside groups: how often a group's likeliest sense in WordNet is one that its label means. `python -m tests.bench.glosses`.

The groups are the labels of our first 20 words, so that only the gloss is guessed. Which glosses a label means was read by a person: by a part
of them, as WordNet 3.0 and Open English WordNet have it. Needs the package wn and its data (core.corpus.dictionary).
"""

from dataclasses import replace

import numpy as np

from core.views import induction
from core.workbench import open_bench

MEANT = {
    "bank": {
        "financial institution": ("financial institution that", "in which the business of banking"),
        "river edge": ("sloping land", "a long ridge"),
    },
    "bark": {
        "tree covering": ("covering of the woody stems",),
        "dog sound": ("resembling the bark", "sound made by a dog", "make barking"),
    },
    "bass": {
        "low sound or guitar": ("lowest part", "lowest range", "low vocal or", "lowest voice", "male singing voice"),
        "fish": ("flesh of", "fishes of"),
    },
    "bat": {"flying mammal": ("mouselike mammal",), "sports club": ("club used", "racket with", "with a baseball bat", "use a bat")},
    "board": {"plank": ("sawn timber",), "committee": ("committee having",), "get on a vehicle": ("get on board",)},
    "bow": {
        "front of a ship": ("front part of a vessel",),
        "bend forward": ("bending the head", "bend one's", "lower one's head", "bend the head"),
        "ribbon knot": ("knot with two loops", "interlacing of ribbons"),
        "archery weapon": ("shooting arrows",),
    },
    "cell": {"mobile phone": ("mobile radiotelephone",), "prison room": ("prisoner is kept",), "biology unit": ("(biology)",)},
    "chair": {"person presiding": ("officer who presides", "act or preside", "preside over"), "seat": ("a seat for one person",)},
    "charge": {
        "accusation": ("a pleading describing", "guilty of a fault", "blame for", "file a formal charge", "accusatory claim"),
        "price": ("price charged", "request for payment", "demand payment", "certain amount as a charge", "ask for a certain price"),
        "electric": ("unbalanced electricity", "electrical charge", "energize a battery"),
    },
    "club": {"nightclub": ("open late at night",), "association": ("formal association",), "stick": ("stout stick", "golf equipment")},
    "court": {
        "ruler's household": ("sovereign and his advisers", "retinue of a sovereign", "residence of a sovereign"),
        "tennis or basketball": ("a game is played",),
        "law": ("judicial business", "a lawcourt sits", "presided over by a magistrate"),
    },
    "crane": {"bird": ("wading bird",), "lifting machine": ("lifts and moves",)},
    "current": {
        "electricity": ("flow of electricity",),
        "water or air flow": ("flow of a fluid",),
        "of now": ("belonging to the present",),
    },
    "date": {
        "fruit": ("sweet edible fruit",),
        "romantic meeting": ("a participant in a date", "meeting arranged", "go on a date", "date regularly"),
        "calendar day": ("day of the month", "particular but unspecified", "Gregorian", "particular day specified"),
    },
    "fair": {
        "festival": ("traveling show", "gathering of producers", "competitive exhibition", "sale of miscellany"),
        "just": ("favor", "without fraud"),
    },
    "fan": {"cooling device": ("creating a current of air", "agitate the air"), "admirer": ("devotee of sports", "ardent follower")},
    "file": {
        "metal tool": ("steel hand tool", "smooth with a file"),
        "document": ("related records", "keeping records", "record in a public"),
    },
    "fire": {
        "shoot": ("firing weapons", "firing a weapon", "cause to go off", "go off or discharge"),
        "flames": ("something burning", "process of combustion", "fire is burning", "fuel that is burning", "destroy by fire"),
        "dismiss from a job": ("terminate the employment",),
    },
    "hard": {"solid": ("resisting weight",), "difficult": ("not easy", "slowly and with difficulty")},
    "interest": {
        "share in a business": ("right or legal share",),
        "money for a loan": ("charge for borrowing",),
        "curiosity": ("concern with and curiosity", "attention", "excite the curiosity"),
    },
}
FIRST, THREE, DICTIONARYS = "the likeliest", "one of the three likeliest", "the dictionary's first"


def main() -> None:
    bench = open_bench()
    right: dict[str, list[bool]] = {FIRST: [], THREE: [], DICTIONARYS: []}
    for word, meant in MEANT.items():
        result = induction.compute(bench, induction.InductionRequest(word=word))
        names, of = np.unique([item.sense for item in result.occurrences.items], return_inverse=True)
        beside = induction.glosses(bench, replace(result, groups=replace(result.groups, of=of)))
        for group, name in enumerate(names.tolist()):
            fits = [any(part in sense.gloss for part in meant[name]) for sense in beside.likeliest(group, 3)]
            right[FIRST].append(fits[0])
            right[THREE].append(any(fits))
            right[DICTIONARYS].append(any(part in beside.senses[0].gloss for part in meant[name]))
            if not fits[0]:
                print(f"“{word}”, {name}: {beside.likeliest(group)[0].gloss}")
    for name, hits in right.items():
        print(f"{name}: right for {np.mean(hits):.0%} of {len(hits)} labels of {len(MEANT)} words, {beside.lexicon}")


if __name__ == "__main__":
    main()
