"""Train a swarm with another library: evolution (CMA-ES) from the package ``cma``, without gradients or JAX.

    pip install "swarmbed[interop]" cma
    python examples/other_library.py

Five agents that steer by velocities learn to meet. Every agent of every swarm is one sub-environment of a Gymnasium
vector environment. All agents of a swarm run the same small network, and each swarm runs another candidate's weights,
so that one call of ``step`` moves the whole population on.
"""

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import cma
import numpy as np

from swarmbed.interop.gymnasium import SwarmVectorEnv, make_vec

HIDDEN = 8  # features of the mean embedding
SPREAD = 0.5  # how far from its first weights the search looks at the beginning


class Plan(NamedTuple):
    """How much is trained."""

    agents: int
    horizon: int
    candidates: int  # weights tried per generation
    starts: int  # swarms per candidate, each from another start
    generations: int


FULL = Plan(agents=5, horizon=100, candidates=16, starts=6, generations=60)
QUICK = Plan(agents=3, horizon=40, candidates=8, starts=4, generations=25)


class Score(NamedTuple):
    """What a swarm reached, for each swarm; the distance is the metric that rendezvous names first."""

    episode_return: np.ndarray
    last_distance: np.ndarray


def weight_shapes(envs: SwarmVectorEnv) -> list[tuple[int, int]]:
    """The network's layers: neighbour → feature, [mean feature, local properties] → action; each with a bias row."""
    space, actions = envs.single_observation_space, envs.single_action_space.shape[0]
    return [(space["set_0"].shape[1] + 1, HIDDEN), (HIDDEN + space["local"].shape[0] + 1, actions)]


def act(weights: np.ndarray, observation: dict[str, np.ndarray], shapes: list[tuple[int, int]]) -> np.ndarray:
    """Actions of all agents: a mean embedding of the neighbours, then one layer. Row c of ``weights`` is candidate c's.

    feature_j = tanh(W₁ o_j),    action = tanh(W₂ [mean_j feature_j, local])
    """
    candidates = len(weights)
    split = np.split(weights, np.cumsum([rows * columns for rows, columns in shapes])[:-1], axis=1)
    first, second = (part.reshape(candidates, *shape) for part, shape in zip(split, shapes, strict=True))

    agents, slots, size = observation["set_0"].shape
    elements = observation["set_0"].reshape(candidates, -1, size)
    feature = np.tanh(elements @ first[:, :-1] + first[:, -1:]).reshape(agents, slots, HIDDEN)
    there = observation["mask_0"][..., None]
    embedding = (feature * there).sum(1) / np.maximum(there.sum(1), 1)

    seen = np.concatenate([embedding, observation["local"]], -1).reshape(candidates, -1, shapes[1][0] - 1)
    return np.tanh(seen @ second[:, :-1] + second[:, -1:]).reshape(agents, -1)


def run(envs: SwarmVectorEnv, weights: np.ndarray, seeds: Sequence[int]) -> Score:
    """One episode of every swarm."""
    shapes = weight_shapes(envs)
    observation, _ = envs.reset(seed=seeds)
    total, truncated = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    while not truncated.all():
        observation, reward, _, truncated, infos = envs.step(act(weights, observation, shapes))
        total += reward
    # The agents of a swarm share everything that is counted here, so the first of each speaks for all.
    per_swarm = slice(None, None, envs.task.num_agents)
    return Score(total[per_swarm], infos[envs.task.headline.name][per_swarm])


def train(plan: Plan, seed: int) -> tuple[Score, Score]:
    """Evolve the weights; returns the scores before and after, on starts that training never saw."""
    swarms = plan.candidates * plan.starts
    envs = make_vec(
        "rendezvous", num_swarms=swarms, num_agents=plan.agents, horizon=plan.horizon,
        dynamics="single", observation="basic",
    )  # fmt: skip
    random = np.random.default_rng(seed)
    first = 0.1 * random.standard_normal(sum(rows * columns for rows, columns in weight_shapes(envs)))
    unseen = range(10**6, 10**6 + swarms)

    def examine(weights: np.ndarray) -> Score:
        return run(envs, np.tile(weights, (plan.candidates, 1)), unseen)

    before, began = examine(first), time.perf_counter()
    print(
        f"before    return {before.episode_return.mean():7.2f}   last mean distance {before.last_distance.mean():5.1f}"
    )
    search = cma.CMAEvolutionStrategy(first, SPREAD, {"popsize": plan.candidates, "seed": seed + 1, "verbose": -9})
    for generation in range(1, plan.generations + 1):
        weights = np.array(search.ask())
        # Equal starts for all candidates make them comparable; new ones in each generation keep them honest.
        starts = random.integers(10**6, size=plan.starts).tolist() * plan.candidates
        returns = run(envs, weights, starts).episode_return.reshape(plan.candidates, plan.starts).mean(1)
        search.tell(list(weights), list(-returns))
        if generation % max(plan.generations // 12, 1) == 0:
            steps = generation * swarms * plan.horizon
            seconds = time.perf_counter() - began
            print(
                f"gen {generation:4d}  best {returns.max():7.2f}   {steps:9,d} swarm steps   {seconds:5.1f} s",
                flush=True,
            )
    after = examine(search.result.xfavorite)
    print(f"after     return {after.episode_return.mean():7.2f}   last mean distance {after.last_distance.mean():5.1f}")
    return before, after


def main(argv: Sequence[str] | None = None) -> tuple[Score, Score]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few seconds: three agents, short episodes")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, starts and search (default: 0)")
    options = parser.parse_args(argv)
    return train(QUICK if options.quick else FULL, options.seed)


if __name__ == "__main__":
    main()
