from backburner_autodiff.optim import SGD as SGD
from backburner_autodiff.optim import Adadelta as Adadelta
from backburner_autodiff.optim import Adagrad as Adagrad
from backburner_autodiff.optim import Adam as Adam
from backburner_autodiff.optim import Adamax as Adamax
from backburner_autodiff.optim import AdamW as AdamW
from backburner_autodiff.optim import Adan as Adan
from backburner_autodiff.optim import Lion as Lion
from backburner_autodiff.optim import NAdam as NAdam
from backburner_autodiff.optim import Optimizer as Optimizer
from backburner_autodiff.optim import RAdam as RAdam
from backburner_autodiff.optim import RMSprop as RMSprop

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Adan",
    "Lion",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
]
