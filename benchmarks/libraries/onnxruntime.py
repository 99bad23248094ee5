"""ONNX Runtime, on the graphs that PyTorch exports, with all of its graph optimizations."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks.libraries import Task, inputs

onnxruntime: Any = import_module("onnxruntime")


class Library:
    def __init__(self, threads: int) -> None:
        self.options = onnxruntime.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.options.inter_op_num_threads = 1
        self.options.log_severity_level = 3

    def infer(self, model: str, data: str) -> Task:
        session = onnxruntime.InferenceSession(
            f"{data}/model.onnx", self.options, providers=["CPUExecutionProvider"]
        )
        feed = {f"x{i}": x for i, x in enumerate(inputs(data)[0])}

        def run() -> Any:
            return session.run(None, feed)[0]

        return Task(run, lambda: {"y": run()})
