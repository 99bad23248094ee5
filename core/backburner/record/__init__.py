"""Files of weights: safetensors read and written, PyTorch's checkpoints read, with NumPy alone and nothing executed."""

from backburner.record._describe import Description as Description
from backburner.record._describe import TensorInfo as TensorInfo
from backburner.record._describe import convert as convert
from backburner.record._describe import describe as describe
from backburner.record._load import load as load
from backburner.record._mapping import TRAINING as TRAINING
from backburner.record._mapping import Conversion as Conversion
from backburner.record._mapping import LoadReport as LoadReport
from backburner.record._mapping import Mismatch as Mismatch
from backburner.record._record import Record as Record
from backburner.record._record import read as read
from backburner.record._record import write as write
from backburner.record._state import save as save
