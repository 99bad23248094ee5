import backburner as bb
from backburner import data, nn
from backburner.optim import Adam

images, labels = data.digits()
pixels = (images.reshape(-1, 64) / 16).astype("float32")
train, test = data.digits_split()
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(bb.Device.cpu().autodiff())
optimizer = Adam(model, lr=3e-3)
for _ in range(20):
    for x, y in data.batches(pixels[train], labels[train], batch_size=32):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.step(loss.backward())
guesses = model.valid()(bb.tensor(pixels[test])).argmax(axis=1).numpy()
print(f"held-out accuracy {(guesses == labels[test]).mean():.1%}")
bb.save(model, "mlp.safetensors")
