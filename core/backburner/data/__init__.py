"""Data: datasets and the loader that cuts them into batches, tables from CSV files, the digits set."""

from backburner.data._collate import collate as collate
from backburner.data._csv import read_csv as read_csv
from backburner.data._csv_names import csv_names as csv_names
from backburner.data._dataset import ArrayDataset as ArrayDataset
from backburner.data._dataset import ConcatDataset as ConcatDataset
from backburner.data._dataset import Dataset as Dataset
from backburner.data._dataset import Mapped as Mapped
from backburner.data._dataset import Subset as Subset
from backburner.data._dataset import split as split
from backburner.data._digits import HELD_OUT as HELD_OUT
from backburner.data._digits import digits as digits
from backburner.data._digits import digits_split as digits_split
from backburner.data._images import ImageFolder as ImageFolder
from backburner.data._loader import Loader as Loader
from backburner.data._loader import batches as batches
from backburner.data._sampler import RandomSampler as RandomSampler
from backburner.data._sampler import WeightedSampler as WeightedSampler
from backburner.data._split import stratified_split as stratified_split
from backburner.data._table import Column as Column
from backburner.data._table import MissingColumn as MissingColumn
from backburner.data._table import Table as Table
from backburner.data._text import TextLines as TextLines
