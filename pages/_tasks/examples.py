"""Sentences of our own for each task, to tap on: each fills the boxes of its task."""

EXAMPLES: dict[str, tuple[dict[str, str], ...]] = {
    "names": (
        {"tasks_names": "Maria Keller flew from Lisbon to Chicago with her cousin Tom"},
        {"tasks_names": "watching the new Spider Knight trailer with Jenny in Boston tonight"},
        {"tasks_names": "Paris said she will meet us at the station"},
        {"tasks_names": "The apple fell on a Sunday and nobody saw it"},
    ),
    "roles": (
        {"tasks_roles": "The committee gave the young architect a medal in March"},
        {"tasks_roles": "Yesterday the storm broke every window of the old school"},
        {"tasks_roles": "She asked her brother to bring the keys"},
    ),
    "entailment": (
        {"tasks_first": "A man in a red jacket is climbing a steep rock.", "tasks_second": "A person is climbing."},
        {"tasks_first": "Two girls are sleeping in a tent.", "tasks_second": "Two girls are dancing in the street."},
        {"tasks_first": "A boy is holding a bat.", "tasks_second": "A boy is waiting for his team."},
    ),
    "coreference": (
        {"tasks_text": "George followed Walter as head of the firm after his death."},
        {"tasks_text": "Olga sings and Tanja dances; her mother plays the piano."},
        {"tasks_text": "Anna Berg met Laura Stone in Vienna. Laura was late because she had missed the train."},
    ),
    "questions": (
        {
            "tasks_question": "How many people visit it each summer?",
            "tasks_paragraph": "The lighthouse of Port Ellis stands on a cliff above the bay. It was built by Samuel Ward in 1871 and repaired "
            "after the storm of 1903. Since 1984 it has worked without a keeper. Every summer some four thousand visitors climb its stairs.",
        },
        {
            "tasks_question": "Who built the lighthouse?",
            "tasks_paragraph": "The lighthouse of Port Ellis stands on a cliff above the bay. It was built by Samuel Ward in 1871 and repaired "
            "after the storm of 1903. Since 1984 it has worked without a keeper. Every summer some four thousand visitors climb its stairs.",
        },
        {
            "tasks_question": "What do the bees collect in spring?",
            "tasks_paragraph": "Martha Quinn keeps forty hives behind her house in the valley. In spring her bees collect pollen from the almond "
            "trees, in summer from clover. She sells the honey at the market in Dunmore, and gives the wax to a candle maker.",
        },
    ),
    "chunks": (
        {"tasks_chunks": "The old man the boats while their sons mend the nets"},
        {"tasks_chunks": "Shares of the small airline rose sharply after the new chief cut its costs"},
        {"tasks_chunks": "Since the bridge was closed, most of the traffic has moved to the ferry"},
    ),
    "speech": (
        {"tasks_speech": "They can fish here but nobody may can the fish"},
        {"tasks_speech": "I saw her duck under the saw"},
        {"tasks_speech": "The record shows that they record every sound"},
    ),
}


def label(example: dict[str, str]) -> str:
    """What stands on an example's button: its first text, cut."""
    text = next(iter(example.values()))
    return text if len(text) < 50 else f"{text[:48].rstrip()}…"
