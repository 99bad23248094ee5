"""Optimizers: they give the parameters of a model new contents from their gradients."""

from backburner_autodiff.optim import schedules as schedules
from backburner_autodiff.optim._optimizer import Optimizer as Optimizer
from backburner_autodiff.optim.accumulation import Accumulator as Accumulator
from backburner_autodiff.optim.adam import Adam as Adam
from backburner_autodiff.optim.adam import Adamax as Adamax
from backburner_autodiff.optim.adam import AdamW as AdamW
from backburner_autodiff.optim.adam import NAdam as NAdam
from backburner_autodiff.optim.adam import RAdam as RAdam
from backburner_autodiff.optim.adaptive import Adadelta as Adadelta
from backburner_autodiff.optim.adaptive import Adagrad as Adagrad
from backburner_autodiff.optim.adaptive import RMSprop as RMSprop
from backburner_autodiff.optim.averages import EMA as EMA
from backburner_autodiff.optim.averages import SWA as SWA
from backburner_autodiff.optim.clipping import clip_by_global_norm as clip_by_global_norm
from backburner_autodiff.optim.clipping import clip_by_norm as clip_by_norm
from backburner_autodiff.optim.clipping import clip_by_value as clip_by_value
from backburner_autodiff.optim.clipping import grad_norm as grad_norm
from backburner_autodiff.optim.lbfgs import LBFGS as LBFGS
from backburner_autodiff.optim.lion import Adan as Adan
from backburner_autodiff.optim.lion import Lion as Lion
from backburner_autodiff.optim.muon import Muon as Muon
from backburner_autodiff.optim.partition import Partition as Partition
from backburner_autodiff.optim.sgd import SGD as SGD
