"""The first values of parameters: PyTorch's schemes by name.

Those that end in ``_`` fill a parameter, as PyTorch's do, and return it. The others take a shape and return a
tensor.
"""

from backburner.nn._fill import constant_ as constant_
from backburner.nn._fill import dirac_ as dirac_
from backburner.nn._fill import eye_ as eye_
from backburner.nn._fill import kaiming_normal_ as kaiming_normal_
from backburner.nn._fill import kaiming_uniform_ as kaiming_uniform_
from backburner.nn._fill import normal_ as normal_
from backburner.nn._fill import ones_ as ones_
from backburner.nn._fill import orthogonal_ as orthogonal_
from backburner.nn._fill import sparse_ as sparse_
from backburner.nn._fill import trunc_normal_ as trunc_normal_
from backburner.nn._fill import uniform_ as uniform_
from backburner.nn._fill import xavier_normal_ as xavier_normal_
from backburner.nn._fill import xavier_uniform_ as xavier_uniform_
from backburner.nn._fill import zeros_ as zeros_
from backburner.nn._initial import calculate_gain as calculate_gain
from backburner.nn._initial import constant as constant
from backburner.nn._initial import kaiming_normal as kaiming_normal
from backburner.nn._initial import kaiming_uniform as kaiming_uniform
from backburner.nn._initial import ones as ones
from backburner.nn._initial import orthogonal as orthogonal
from backburner.nn._initial import standard_normal as standard_normal
from backburner.nn._initial import trunc_normal as trunc_normal
from backburner.nn._initial import uniform_fan_in as uniform_fan_in
from backburner.nn._initial import xavier_normal as xavier_normal
from backburner.nn._initial import xavier_uniform as xavier_uniform
from backburner.nn._initial import zeros as zeros
