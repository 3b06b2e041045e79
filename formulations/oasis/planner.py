"""Best schedules at prices: the OASiS planner behind dmlopt's engine.

Agents are jobs, counts (0, 1); a plan is a schedule {y_ih(t), z_ik(t)} with exactly the work it needs, the fewest ps, and
the completion slot it claims (`box.py`). Plans are made as they are asked for and get an id in an arena; ids never
change.

`best` is Algorithm 2 with the notes' tie rules (`schedule.py`): what the online algorithm uses. `best_all` answers by
hull and core (`kernel.py`), exact but with other ties; without numba it falls back to the former.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import csr_array

from dmlopt.packing import BoolArray, Cut, FloatArray, IntArray, Packing, Part, Plan, PlanBatch
from formulations.oasis import box as boxes
from formulations.oasis.arena import Arena
from formulations.oasis.box import NO_LIMIT, Box
from formulations.oasis.compiled import AVAILABLE
from formulations.oasis.cuts import separating_cut
from formulations.oasis.kernel import best_of, best_of_all
from formulations.oasis.kernel_data import box_arrays, job_arrays
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import quantities
from formulations.oasis.rows import build_rows
from formulations.oasis.schedule import Task, best_schedule
from formulations.oasis.slot_costs import Side, place, side_of, slot_costs

_NO_ROOM = np.empty((0, 0, 0), dtype=np.int64)


class OasisPlanner:
    """The Planner of one problem. `compiled=False` answers `best_all` by the plain dynamic program too."""

    def __init__(self, problem: OasisProblem, compiled: bool = AVAILABLE) -> None:
        self.problem = problem
        self.compiled = compiled
        self.derived = quantities(problem)
        self.rows = build_rows(problem, self.derived)
        self.arena = Arena()
        self._jobs = job_arrays(problem, self.derived)
        self._demand = self._jobs.demand

    @property
    def agent_count(self) -> int:
        """Number of jobs."""
        return self.problem.job_count

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        return self.rows.count

    # ---------------------------------------------------------------- best plans

    def best_all(
        self,
        prices: FloatArray,
        agents: IntArray | None = None,
        room: IntArray | None = None,
        within: Mapping[int, Part] | None = None,
        floor: FloatArray | None = None,
    ) -> PlanBatch:
        """Best plan of every agent (or of `agents`) at `prices`; any of several best ones."""
        chosen = np.arange(self.agent_count) if agents is None else np.asarray(agents, dtype=np.int64)
        parts = [(within or {}).get(agent) for agent in chosen.tolist()]
        least = np.full(len(chosen), -np.inf) if floor is None else np.asarray(floor, dtype=np.float64)
        ids = np.full(len(chosen), -1, dtype=np.int64)
        values, reduced = np.zeros(len(chosen)), np.full(len(chosen), -np.inf)
        if not self.compiled:
            for k, (agent, part) in enumerate(zip(chosen.tolist(), parts, strict=True)):
                plan = self.best(agent, prices, room, part, float(least[k]))
                if plan is not None:
                    ids[k], values[k] = plan.id, plan.value
                    reduced[k] = plan.value - float(plan.amounts @ prices[plan.rows])
            return PlanBatch(chosen, ids, values, reduced)
        payoff, claim, start, codes, counts = best_of_all(
            self._jobs,
            chosen,
            self.rows.spread_prices(prices),
            _NO_ROOM if room is None else self.rows.spread_room(room),
            box_arrays(parts, self._jobs.first[chosen], self.problem.horizon),
            least,
        )
        for k in np.flatnonzero(claim >= 0).tolist():
            entry = slice(start[k], start[k + 1])
            values[k] = self._jobs.value[chosen[k], claim[k]]
            ids[k] = self.arena.add(
                int(chosen[k]), int(claim[k]) + 1, float(values[k]), codes[entry], counts[entry]
            )
            reduced[k] = payoff[k]
        return PlanBatch(chosen, ids, values, reduced)

    def best(
        self,
        agent: int,
        prices: FloatArray,
        room: IntArray | None = None,
        within: Part = None,
        floor: float = -np.inf,
    ) -> Plan | None:
        """Algorithm 2: the best plan of one agent with the tie rules of the notes; None when no plan is above `floor`."""
        made = self.task(agent, prices, room, within)
        if made is None:
            return None
        task, workers, ps = made
        found = best_schedule(task, self.compiled)
        if found is None or not found.payoff > floor:
            return None
        active = np.flatnonzero(found.workers)
        claim = max(int(active[-1]) if len(active) else 0, task.score_from)
        codes, counts = [], []
        first = int(self._jobs.first[agent])
        for slot in active.tolist():
            y = int(found.workers[slot])
            tasks = np.concatenate(
                [place(workers, slot, y), place(ps, slot, int(self.derived[agent].ps_count[y]))]
            )
            used = np.flatnonzero(tasks)
            codes.append((first + slot) * self.rows.place_count + used)
            counts.append(tasks[used])
        id = self.arena.add(
            agent, first + claim + 1, float(task.value[claim]), np.concatenate(codes), np.concatenate(counts)
        )
        return self.plan(id)

    def task(
        self, agent: int, prices: FloatArray, room: IntArray | None = None, within: Part = None
    ) -> tuple[Task, Side, Side] | None:
        """The planning problem of one agent, with what its workers and its ps see; None when no plan is possible."""
        each, job = self.derived[agent], self.problem.jobs[agent]
        part: Box = within or boxes.whole_box(job.arrival, self.problem.horizon)
        if not each.schedulable or part.empty:
            return None
        slots = slice(job.arrival - 1, part.last)
        spread = self.rows.spread_prices(prices)[slots]
        left = None if room is None else self.rows.spread_room(room)[slots]
        split = self.rows.worker_places
        workers, ps = (
            side_of(
                spread[:, places],
                limit,
                demand,
                None if left is None else left[:, places],
                part,
                job.arrival,
                offset,
            )
            for places, limit, demand, offset in (
                (slice(0, split), each.worker_limit, job.worker, 0),
                (slice(split, None), each.ps_limit, job.ps, split),
            )
        )
        count = len(spread)
        cost = np.full((count, each.width + 1), np.inf)
        low, high = np.zeros(count, dtype=np.int64), np.full(count, each.width)
        for slot in range(count):
            costs = slot_costs(workers, ps, each.ps_count, slot)
            least, most = part.workers.get(job.arrival + slot, (0, NO_LIMIT))
            fits = np.zeros(0, dtype=np.int64) if costs is None else np.flatnonzero(np.isfinite(costs))
            fits = fits[(fits >= least) & (fits <= most)]
            if costs is None or not len(fits):
                return None
            cost[slot], low[slot], high[slot] = costs, fits[0], fits[-1]
        forced = np.flatnonzero(low)
        score_from = max(part.first - job.arrival, int(forced[-1]) if len(forced) else 0)
        value = self._jobs.value[agent, slots]
        exact = self.problem.work == "slots"
        return Task(cost, low, high, each.gain, each.work, value, score_from, exact), workers, ps

    def profile(self, agent: int, prices: FloatArray, within: Part = None) -> FloatArray:
        """Upper bounds on the payoff of this agent's plans per completion slot 1..T (-inf: none there)."""
        out = np.full(self.problem.horizon, -np.inf)
        asked = np.array([agent])
        arrays = box_arrays([within], self._jobs.first[asked], self.problem.horizon)
        scratch = np.zeros(self.problem.horizon, dtype=np.int64)
        best_of(self._jobs, agent, self.rows.spread_prices(prices), _NO_ROOM, arrays, 0, np.inf, scratch, out)
        return out

    # ---------------------------------------------------------------- plans by id

    def plan(self, id: int) -> Plan:
        """The plan behind an id; its detail is {slot: ({worker place: y}, {ps place: z})}."""
        ids = np.array([id])
        use = self.usage(ids)
        agent, value = int(self.arena.agents(ids)[0]), float(self.arena.values(ids)[0])
        rows = use.indices.astype(np.int64)
        return Plan(id, agent, value, rows, use.data.astype(np.int64), self.schedule(id))

    def schedule(self, id: int) -> dict[int, tuple[dict[int, int], dict[int, int]]]:
        """{slot: ({worker place: y}, {ps place: z})} of a plan."""
        found: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        _, codes, counts = self.arena.entries(np.array([id]))
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            slot, at = divmod(code, self.rows.place_count)
            sides = found.setdefault(slot + 1, ({}, {}))
            split = self.rows.worker_places
            sides[at >= split][at - split if at >= split else at] = count
        return found

    def values(self, ids: IntArray) -> FloatArray:
        """Values of plans by id."""
        return self.arena.values(np.asarray(ids, dtype=np.int64))

    def usage(self, ids: IntArray) -> csr_array:
        """Usage of plans by id, one sparse row per plan."""
        owner, rows, amounts = self._use(ids)
        start = np.searchsorted(owner, np.arange(len(ids) + 1))
        return csr_array((amounts, rows, start), shape=(len(ids), self.row_count))

    def total_usage(self, ids: IntArray, counts: IntArray) -> IntArray:
        """What these numbers of plans use together, per row."""
        owner, rows, amounts = self._use(ids)
        total = np.zeros(self.row_count, dtype=np.int64)
        np.add.at(total, rows, amounts * np.asarray(counts, dtype=np.int64)[owner])
        return total

    def _use(self, ids: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """(position in `ids`, row, amount) of every use."""
        ids = np.asarray(ids, dtype=np.int64)
        owner, codes, counts = self.arena.entries(ids)
        slot, at = np.divmod(codes, self.rows.place_count)
        rows = self.rows.at[slot, at]
        demand = self._demand[self.arena.agents(ids)[owner], (at >= self.rows.worker_places).astype(np.int64)]
        amounts = demand * counts[:, None]
        used = (rows >= 0) & (amounts > 0)
        return np.repeat(owner, used.sum(axis=1)), rows[used], amounts[used]

    # ---------------------------------------------------------------- parts

    def contains(self, agent: int, part: Part, ids: IntArray) -> BoolArray:
        """Which of these plans of `agent` lie in the box."""
        ids = np.asarray(ids, dtype=np.int64)
        inside = np.ones(len(ids), dtype=bool)
        if part is None or not len(ids):
            return inside
        claims = self.arena.claims(ids)
        inside &= (claims >= part.first) & (claims <= part.last)
        if not part.workers and not part.tasks:
            return inside
        owner, codes, counts = self.arena.entries(ids)
        slot, at = np.divmod(codes, self.rows.place_count)
        limits = [(t, slice(0, self.rows.worker_places), each) for t, each in part.workers.items()]
        limits += [(t, slice(p, p + 1), each) for (t, p), each in part.tasks.items()]
        for t, places, (low, high) in limits:
            here = (slot == t - 1) & (at >= places.start) & (at < places.stop)
            tasks = np.bincount(owner[here], weights=counts[here], minlength=len(ids))
            inside &= (tasks >= low) & (tasks <= high)
        return inside

    def cut(self, agent: int, part: Part, ids: IntArray, weights: FloatArray) -> Cut | None:
        """A cut that separates these plans: by completion, then by workers in a slot, then by tasks on a place."""
        return separating_cut(self.arena, self.rows, np.asarray(ids, dtype=np.int64), weights)

    def halves(self, agent: int, part: Part, cut: Cut) -> tuple[Part, Part]:
        """The two halves of a box."""
        slots = (self.problem.jobs[agent].arrival, self.problem.horizon)
        return boxes.halves(part or boxes.whole_box(*slots), cut, slots, self.rows.place_count, agent)

    def magnitude(self, prices: FloatArray) -> float:
        """The largest value + what the dearest schedule of any job costs at most."""
        spread = np.abs(self.rows.spread_prices(prices))
        split = self.rows.worker_places
        largest = 0.0
        for job, each in zip(self.problem.jobs, self.derived, strict=True):
            if each.schedulable:
                dearest = (spread[:, :split] @ np.array(job.worker, dtype=float)).max()
                dearest += (spread[:, split:] @ np.array(job.ps, dtype=float)).max()
                most = min(each.width * each.slots, 2 * each.worker_slots)
                largest = max(largest, job.utility.value(0) + float(dearest) * most)
        return largest


def packing(problem: OasisProblem) -> Packing:
    """Problem (P) of an OASiS problem."""
    planner = OasisPlanner(problem)
    none = np.zeros(problem.job_count, dtype=np.int64)
    rows = planner.rows
    return Packing(
        planner=planner,
        capacity=rows.row_capacity(),
        lo=none,
        hi=none + 1,
        row_names=rows.names,
        row_units=rows.units,
    )
