"""Prints the table on late captures in docs/learning.md: ``python docs/make_late.py``.

One run of pursuit-local by its recipe, after 260 iterations and after 140 more: what is different where the evader is
not caught by step 200?
"""

import numpy as np
from make_ring import ROOT, Life, live

import swarmbed

RUN = ROOT / "results" / "longer" / "pursuit-local-recipe"
STARTS, STEPS = 300, 200
BETWEEN = slice(100, 150)  # steps that are looked at


def row(life: Life, chosen: np.ndarray, sight: float) -> str:
    distance = np.hypot(life.way[..., 0], life.way[..., 1])[chosen, BETWEEN]
    # From a capture on nothing moves: only steps before it count.
    going = np.arange(life.way.shape[1])[None, BETWEEN] < life.length[chosen, None]
    numbers = distance.min(2)[going], (distance <= 30).sum(2)[going], (distance <= sight).any(2)[going]
    nearest, near, seen = (each.mean() for each in numbers)
    return f"{chosen.sum()} | {nearest:.1f} units | {near:.1f} of {distance.shape[2]} | {1 - seen:.1%}"


def main() -> None:
    task = swarmbed.make("pursuit-local", observation="comm")
    print("| iterations | | starts | nearest pursuer | pursuers within 30 units | steps in which nobody sees it |")
    print("|---|---|---|---|---|---|")
    for iterations in (260, 400):
        life = live(RUN / f"seed-1-after-{iterations}.safetensors", task, STARTS, STEPS)
        caught = life.length < STEPS
        print(f"| {iterations} | caught within steps 100 to 200 | {row(life, caught & (life.length > 100), 20.0)} |")
        if (~caught).any():
            print(f"| | not caught by step 200 ({(~caught).mean():.1%}) | {row(life, ~caught, 20.0)} |")


if __name__ == "__main__":
    main()
