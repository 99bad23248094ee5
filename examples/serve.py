import backburner as bb
from backburner import data, nn

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
bb.load(model, "mlp.safetensors")
print("The first digit is a", model(bb.tensor(data.digits()[0][0].reshape(64) / 16)).argmax(axis=0).item())
