"""Training jobs: the digits network from images to a file, and the kernels compiled ahead of time."""

from backburner_autodiff.train._digits import Trained as Trained
from backburner_autodiff.train._digits import digits as digits
from backburner_autodiff.train._tabular import TabularTrained as TabularTrained
from backburner_autodiff.train._tabular import tabular as tabular
from backburner_autodiff.train._warmup import warmup as warmup
