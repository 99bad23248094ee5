"""Data: the digits set, tables from CSV files, and datasets cut into batches."""

from backburner.data._arrays import HELD_OUT as HELD_OUT
from backburner.data._arrays import ArrayDataset as ArrayDataset
from backburner.data._arrays import Batches as Batches
from backburner.data._arrays import batches as batches
from backburner.data._arrays import digits as digits
from backburner.data._arrays import digits_split as digits_split
from backburner.data._arrays import stratified_split as stratified_split
from backburner.data._csv import read_csv as read_csv
from backburner.data._csv_names import csv_names as csv_names
from backburner.data._table import Column as Column
from backburner.data._table import MissingColumn as MissingColumn
from backburner.data._table import Table as Table
