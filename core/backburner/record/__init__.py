"""Files of weights: safetensors, read and written with NumPy alone, and never a pickle."""

from backburner.record._record import Record as Record
from backburner.record._record import read as read
from backburner.record._record import write as write
from backburner.record._report import Conversion as Conversion
from backburner.record._report import LoadReport as LoadReport
from backburner.record._report import Mismatch as Mismatch
from backburner.record._state import load as load
from backburner.record._state import save as save
