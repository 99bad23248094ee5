"""Helpers around layers."""

from backburner.nn.utils import rnn as rnn
