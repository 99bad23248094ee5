from backburner_autodiff.optim import EMA as EMA
from backburner_autodiff.optim import LBFGS as LBFGS
from backburner_autodiff.optim import SGD as SGD
from backburner_autodiff.optim import SWA as SWA
from backburner_autodiff.optim import Accumulator as Accumulator
from backburner_autodiff.optim import Adadelta as Adadelta
from backburner_autodiff.optim import Adagrad as Adagrad
from backburner_autodiff.optim import Adam as Adam
from backburner_autodiff.optim import Adamax as Adamax
from backburner_autodiff.optim import AdamW as AdamW
from backburner_autodiff.optim import Adan as Adan
from backburner_autodiff.optim import Lion as Lion
from backburner_autodiff.optim import Muon as Muon
from backburner_autodiff.optim import NAdam as NAdam
from backburner_autodiff.optim import Optimizer as Optimizer
from backburner_autodiff.optim import Partition as Partition
from backburner_autodiff.optim import RAdam as RAdam
from backburner_autodiff.optim import RMSprop as RMSprop
from backburner_autodiff.optim import clip_by_global_norm as clip_by_global_norm
from backburner_autodiff.optim import clip_by_norm as clip_by_norm
from backburner_autodiff.optim import clip_by_value as clip_by_value
from backburner_autodiff.optim import grad_norm as grad_norm
from backburner_autodiff.optim import schedules as schedules

__all__ = [
    "EMA",
    "LBFGS",
    "SGD",
    "SWA",
    "Accumulator",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Adan",
    "Lion",
    "Muon",
    "NAdam",
    "Optimizer",
    "Partition",
    "RAdam",
    "RMSprop",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "grad_norm",
    "schedules",
]
