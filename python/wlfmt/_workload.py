"""Workload files that are built, and the groups of ranks in them."""

import difflib
import operator
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _wlfmt
from ._records import Record, _known, check, read_workload, write_workload
from ._sources import Problem, Source, Target, encoded


class Phase(NamedTuple):
    """One of the three phases of a layer: computation, and a collective after it."""

    compute: float = 0  #: time in ticks; what a tick is, says the simulator (a nanosecond in SimAI)
    comm: str = "NONE"  #: ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, ..., with _EP, _DP_EP for other groups of ranks
    bytes: int = 0  #: what the collective moves: the buffer of all ranks, as in SimAI's files


_PhaseLike = Union[Phase, Tuple[float], Tuple[float, str, int], float]


def _phase(given: _PhaseLike) -> Record:
    if isinstance(given, (tuple, list)):
        if len(given) not in (1, 3):
            raise TypeError(f"{given!r}: a phase is (compute, collective, bytes), or a time alone")
        return Phase(*given)._asdict()
    return Phase(given)._asdict()


# The entries of the header that have a meaning, as Workload() calls them.
_ENTRIES = ("all_gpus", "tp", "ep", "pp", "vpp", "ga", "pp_comm", "checkpoints", "checkpoint_initiates", "policy")


class Workload(Dict[str, Any]):
    """A workload file as it is built: the dict that read_workload gives and write_workload takes, with methods.

    policy      the parallelism policy, such as HYBRID_TRANSFORMER_FWD_IN_BCKWD (SimAI, AICB) or DATA (ASTRA-sim)
    all_gpus    the number of ranks; None for policies without parallel groups, such as DATA
    tp          how many ranks share a layer (tensor parallel): model_parallel_NPU_group
    ep          how many ranks share the experts of a layer
    pp, vpp     how many pipeline stages there are, and how many model chunks a stage has
    ga          how many micro-batches there are (gradient accumulation)
    pp_comm     the bytes of a message between stages; with pp > 1 alone
    checkpoints, checkpoint_initiates   indices of layers
    further     other entries of the header, whose names are not nearly one of these

    >>> moe = Workload(all_gpus=16, tp=2, ep=4)
    >>> moe.add_layer("attention", forward=(5000, "ALLREDUCE", 4096), input_grad=9000, weight_grad=8000)
    >>> moe.add_layer("mlp_moe", forward=(7000, "ALLTOALL_EP", 8192), weight_grad=(600, "ALLREDUCE_DP_EP", 1024))
    >>> moe.sizes["data_parallel"], moe.ranks_of("expert_parallel", 3)
    (8, [1, 3, 5, 7])
    >>> [p.kind for p in moe.check() if p.severity == "error"], moe.write().splitlines()[2].split()[0]
    ([], 'attention')
    """

    def __init__(self, policy: str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD", *, all_gpus: Optional[int] = None, tp: int = 1,
                 ep: int = 1, pp: int = 1, vpp: Optional[int] = None, ga: int = 1, pp_comm: Optional[int] = None,
                 checkpoints: Sequence[int] = (), checkpoint_initiates: Sequence[int] = (), **further: Any) -> None:
        if all_gpus is None and (policy.startswith("HYBRID_TRANSFORMER") or (tp, ep, pp) != (1, 1, 1)):
            raise TypeError(f"all_gpus is missing: {policy} with tp={tp}, ep={ep}, pp={pp} needs the number of ranks")
        if pp > 1 and pp_comm is None:
            raise TypeError(f"pp_comm is missing: with pp={pp} stages send each other that many bytes")
        header: Record = {}
        if all_gpus is not None:
            header.update(model_parallel_NPU_group=tp, ep=ep, pp=pp)
            if vpp is not None:
                header["vpp"] = vpp
            header.update(ga=ga, all_gpus=all_gpus, checkpoints=list(checkpoints),
                          checkpoint_initiates=list(checkpoint_initiates))
        if pp_comm is not None:
            header["pp_comm"] = pp_comm
        for name in further:
            near = difflib.get_close_matches(name.lower(), _ENTRIES, 1, 0.8)
            if near:
                raise TypeError(f"{name} is no entry that has a meaning; did you mean {near[0]}?")
        header.update(further)
        super().__init__(policy=policy, header=header, layers=[])

    @classmethod
    def read(cls, source: Source, *, lenient: bool = False) -> "Workload":
        """That of a file, or of a text."""
        made = cls.__new__(cls)
        made.update(read_workload(source, lenient=lenient))
        return made

    @property
    def layers(self) -> List[Record]:
        """The layers, as dicts: name, dependency, forward, input_grad, weight_grad, update."""
        layers: List[Record] = self["layers"]
        return layers

    @property
    def header(self) -> Record:
        """The entries of the header under their keys in the file."""
        header: Record = self["header"]
        return header

    def add_layer(self, name: str, *, forward: _PhaseLike = 0, input_grad: _PhaseLike = 0, weight_grad: _PhaseLike = 0,
                  dependency: int = -1, update: float = 0, policy: Optional[str] = None) -> None:
        """Appends a layer. A phase is a Phase, (compute, collective, bytes), or a time alone.

        name        a word: SimAI knows embedding_layer, attention_column, mlp_row, moe_column, ... by theirs
        dependency  the index of the layer that it waits for; -1: of none
        update      the delay after the last collective of the weights' gradients, in ticks
        policy      a policy of its own, in files of HYBRID_CUSTOMIZED
        """
        layer: Record = {"name": name, "dependency": dependency, "forward": _phase(forward),
                         "input_grad": _phase(input_grad), "weight_grad": _phase(weight_grad), "update": update}
        if _known(policy) is not None:
            layer["policy"] = policy
        self.layers.append(layer)

    @overload
    def write(self, to: None = None) -> str: ...
    @overload
    def write(self, to: Target) -> None: ...
    def write(self, to: Optional[Target] = None) -> Optional[str]:
        """The text, returned or written to a path or an open file."""
        if to is None:
            return write_workload(self)
        write_workload(self, to)
        return None

    def check(self) -> List[Problem]:
        """What is wrong with it, as wlfmt.check() says."""
        return check(self._text(), kind="workload")

    @property
    def sizes(self) -> Dict[str, int]:
        """The number of ranks, and of those in a group of each kind: ranks, tensor_parallel, data_parallel,
        expert_parallel, expert_data_parallel, pipeline_parallel (docs/parallelism.md). A ParseError where the header
        does not say it."""
        return _wlfmt.sizes(self._text())

    def ranks_of(self, group: str, rank: int) -> List[int]:
        """The ranks that are in a group with this one; `group` is one of the keys of `sizes`, and a rank that there is
        not is a ValueError."""
        rank, count = operator.index(rank), self.sizes["ranks"]
        if not 0 <= rank < count:
            raise ValueError(f"rank {rank}: there are ranks 0 to {count - 1}")
        return _wlfmt.members(self._text(), group, rank)

    def _text(self) -> bytes:
        return encoded(write_workload(self))


def group_of(collective: str, phase: str = "forward") -> Optional[str]:
    """The kind of group that a collective of a phase is in: what its suffix names, else what SimAI takes. None for
    NONE, and for what is no collective.

    >>> group_of("ALLTOALL_EP"), group_of("ALLREDUCE"), group_of("ALLREDUCE", "weight_grad")
    ('expert_parallel', 'tensor_parallel', 'data_parallel')
    """
    return _wlfmt.group_of(phase, collective)
