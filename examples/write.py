"""Train a small GPT on the Zen of Python, letter by letter, and let it continue a line."""

import codecs
import contextlib
import io

import numpy as np

import backburner as bb
from backburner import nn
from backburner.optim import AdamW

with contextlib.redirect_stdout(io.StringIO()):
    import this

TEXT = codecs.decode(this.s, "rot13")
LETTERS = sorted(set(TEXT))
CONTEXT = 64


class GPT(nn.Module):
    """Given the letters so far, says which comes next."""

    def __init__(self, size: int = 64) -> None:
        self.letters = nn.Embedding(len(LETTERS), size)
        self.positions = nn.Embedding(CONTEXT, size)
        layer = nn.TransformerEncoderLayer(size, 4, 4 * size, 0.0, "gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, nn.LayerNorm(size))
        self.head = nn.Linear(size, len(LETTERS))

    def forward(self, tokens: bb.Tensor, cache: nn.KVCache | None = None) -> bb.Tensor:
        past = 0 if cache is None else cache.length
        x = self.letters(tokens) + self.positions(bb.arange(past, past + tokens.shape[1]))
        return self.head(self.blocks(x, is_causal=True, cache=cache))


bb.Device.cpu().seed(0)
rng = np.random.default_rng(0)
text = np.array([LETTERS.index(letter) for letter in TEXT])
model = GPT().to(bb.Device.cpu().autodiff())
optimizer = AdamW(model, lr=5e-3)
for step in range(300):
    starts = rng.integers(0, len(text) - CONTEXT, (16, 1))
    batch = bb.tensor(text[starts + np.arange(CONTEXT + 1)])
    scores = model(batch[:, :-1]).flatten(0, 1)
    loss = nn.functional.cross_entropy(scores, batch[:, 1:].flatten())
    optimizer.step(loss.backward())
    if step % 100 == 99:
        print(f"step {step + 1}: loss {loss.item():.2f}")

prompt = "Explicit is"
tokens = bb.tensor([LETTERS.index(letter) for letter in prompt])
found = nn.generate(model, tokens, CONTEXT - len(prompt), eos=LETTERS.index("\n"))
print("".join(LETTERS[i] for i in found.tolist()).rstrip())
