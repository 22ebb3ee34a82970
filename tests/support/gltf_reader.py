"""A small independent reader of GLB files for tests: straight from the specification, animation included."""

import json
import struct
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

DTYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Document:
    def __init__(self, path: Path) -> None:
        data = Path(path).read_bytes()
        magic, version, total = struct.unpack_from("<4sII", data)
        assert (magic, version, total) == (b"glTF", 2, len(data))
        length, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.json = json.loads(data[20 : 20 + length])
        block, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0"
        assert 28 + length + block == len(data)
        self.binary = data[28 + length :]

    def accessor(self, index: int) -> np.ndarray:
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        dtype = np.dtype(DTYPES[a["componentType"]])
        size = WIDTHS[a["type"]] * dtype.itemsize
        stride = view.get("byteStride", size)
        assert view["byteOffset"] % 4 == 0
        rows = np.frombuffer(self.binary, np.uint8, stride * a["count"], view["byteOffset"])
        values = np.ascontiguousarray(rows.reshape(a["count"], stride)[:, :size]).view(dtype)
        if a.get("normalized"):
            return np.maximum(values / np.iinfo(dtype).max, -1.0)
        return values

    def node(self, name: str) -> int:
        return next(i for i, n in enumerate(self.json["nodes"]) if n.get("name") == name and "mesh" in n)

    def animated(self, node: int, path: str, frame: int) -> np.ndarray | None:
        for channel in self.json["animations"][0]["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = self.json["animations"][0]["samplers"][channel["sampler"]]
                count = self.json["accessors"][sampler["input"]]["count"]
                return self.accessor(sampler["output"]).reshape(count, -1)[frame]
        return None

    def local(self, node: int, frame: int) -> np.ndarray:
        n = self.json["nodes"][node]
        move, turn = self.animated(node, "translation", frame), self.animated(node, "rotation", frame)
        matrix = np.eye(4)
        matrix[:3, 3] = n.get("translation", [0, 0, 0]) if move is None else move
        turn = n.get("rotation", [0, 0, 0, 1]) if turn is None else turn
        matrix[:3, :3] = Rotation.from_quat(turn).as_matrix()
        return matrix

    def world(self, node: int, frame: int) -> np.ndarray:
        for parent, n in enumerate(self.json["nodes"]):
            if node in n.get("children", []):
                return self.world(parent, frame) @ self.local(node, frame)
        return self.local(node, frame)

    def vertices(self, name: str, frame: int) -> np.ndarray:
        """Return a mesh node's vertices in the world at a frame, morphed and skinned."""
        node = self.node(name)
        primitive = self.json["meshes"][self.json["nodes"][node]["mesh"]]["primitives"][0]
        points = self.accessor(primitive["attributes"]["POSITION"]).astype(float)
        weights = self.animated(node, "weights", frame)
        if weights is not None:
            for weight, target in zip(weights, primitive["targets"], strict=True):
                points = points + weight * self.accessor(target["POSITION"])
        points = np.column_stack([points, np.ones(len(points))])
        if "skin" not in self.json["nodes"][node]:
            return (points @ self.world(node, frame).T)[:, :3]
        skin = self.json["skins"][self.json["nodes"][node]["skin"]]
        inverse = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = np.stack([self.world(j, frame) for j in skin["joints"]]) @ inverse
        joints = self.accessor(primitive["attributes"]["JOINTS_0"])
        shares = self.accessor(primitive["attributes"]["WEIGHTS_0"])
        return np.einsum("nk,nkij,nj->ni", shares, matrices[joints], points)[:, :3]
