"""Data: datasets and the loader that cuts them into batches, tables from CSV files, the digits set."""

import typing as _typing

from backburner.data._collate import collate as collate
from backburner.data._csv import csv_names as csv_names
from backburner.data._csv import read_csv as read_csv
from backburner.data._dataset import ArrayDataset as ArrayDataset
from backburner.data._dataset import ConcatDataset as ConcatDataset
from backburner.data._dataset import Dataset as Dataset
from backburner.data._dataset import Mapped as Mapped
from backburner.data._dataset import Subset as Subset
from backburner.data._dataset import split as split
from backburner.data._files import HELD_OUT as HELD_OUT
from backburner.data._files import ImageFolder as ImageFolder
from backburner.data._files import TextLines as TextLines
from backburner.data._files import digits as digits
from backburner.data._files import digits_split as digits_split
from backburner.data._loader import Loader as Loader
from backburner.data._loader import batches as batches
from backburner.data._sampler import RandomSampler as RandomSampler
from backburner.data._sampler import WeightedSampler as WeightedSampler
from backburner.data._sampler import stratified_split as stratified_split
from backburner.data._table import Column as Column
from backburner.data._table import MissingColumn as MissingColumn
from backburner.data._table import Table as Table

if _typing.TYPE_CHECKING:  # or checkers would take any name
    from backburner.data import augment as augment
else:
    from backburner._hints import refuser as _refuser

    _refuse = _refuser(
        __name__,
        {
            "DataLoader": "Loader",
            "TensorDataset": "ArrayDataset",
            "random_split": "split",
            "IterableDataset": "Loader: it takes anything to loop over",
            "transforms": "Mapped, with a function such as those of data.augment",
            "Compose": "Mapped, with a function such as those of data.augment",
            "default_collate": "collate",
            "train_test_split": "split",
            "load_csv": "read_csv",
        },
    )

    def __getattr__(name):
        if name == "augment":
            from importlib import import_module

            return import_module("backburner.data.augment")
        _refuse(name)
