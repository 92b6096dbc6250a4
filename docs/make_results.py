"""Writes docs/results.md from what ``swarmbed reproduce`` measured: ``python docs/make_results.py``.

No number and no verdict is typed by hand: claims live with the experiments, numbers in results/, and a test fails when
the page is not what this script makes of them.
"""

import re

from results_claims import at_a_glance, claim_table
from results_files import DOCS, RESULTS, load
from results_tables import contest_table, cost_table, longer_table, run_table, settings_table

from swarmbed.study.budget import BUDGETS
from swarmbed.study.claim_report import summary
from swarmbed.study.claim_source import judgements
from swarmbed.study.events import SOON
from swarmbed.study.experiments.architecture import ITERATIONS as OF_ARCHITECTURES
from swarmbed.study.experiments.base import AUTHORS_ITERATIONS, ITERATIONS, Experiment
from swarmbed.study.improvement import BETTER, MATTERS
from swarmbed.study.looks import EARLY_ERROR, ERROR, LEAST_RUNS, stages
from swarmbed.study.plan import experiments
from swarmbed.study.store import Store

PATH = DOCS / "results.md"
EARLY, TOTAL = (f"{100 * share:g} %" for share in (EARLY_ERROR, ERROR))
OURS = "(ours)"  # at the beginning of what we claim beside the paper's findings
ALL = f"{100 * stages(16)[0].error:g} %"
(_, PLAN_ERROR), (LATER, LATER_ERROR), (MOST, LAST) = ((s.runs, f"{100 * s.error:.3g} %") for s in stages(5))
RENDEZVOUS, PURSUIT, SEVERAL = (ITERATIONS[name] for name in ("rendezvous-global", "pursuit-global", "multi-pursuit"))
ABOUT = f"""\
# Results

What the paper found, and what our runs show. Made by `python docs/make_results.py` from `results/`, which
`swarmbed reproduce` writes; every run's settings, seed and commit are in `results/runs/`. `swarmbed reproduce --claims`
prints the same verdicts.

**Verdicts** are computed, not written. Each finding is a claim in the experiment's own file
(`src/swarmbed/study/experiments/`), tested over *training runs*, never over the episodes of one policy, and it
*holds*, *fails* or is *open*. Two methods are compared by the probability that a run of one beats a run of the other,
over all pairs of runs: it does not depend on how badly a run failed. A method is better where the runs show that this
probability is above {BETTER:g}, and the claim fails where they show that it is below {MATTERS:g}, the threshold of
Bouthillier et al. (2021) for a difference that matters; in between either is right. The tests and intervals hold
for methods whose runs spread alike; in the extreme a side errs two to three times as often as it says
(`study/improvement.py`). Other effects are means or shares over runs: Student's t, Fisher's
exact test with Newcombe's interval for counts of trials. All intervals are 95 %. With fewer than {LEAST_RUNS} runs of
a method nothing is decided.

Results are tested after every run, with an error of {TOTAL} over all tests of a claim: the tests before the end of the
plan share {EARLY}, its end has {PLAN_ERROR}; what is open then is tested twice more, by {LATER} runs of every method
with {LATER_ERROR} and by {MOST} with {LAST}. {MOST} is the paper's number of trials; a plan of {MOST} runs has {ALL}
for its end. A claim of several parts (better than A, than B and than C) is tested part by part: it holds once every
part does, and fails once one does, for which each of k parts has a k-th of the error. There is no correction for the
number of claims. *Runs* are those behind a verdict, out of those planned for the next test.

This rule was written when 254 of the runs and their effects were known, because it can settle more claims with 16 runs
of a method: it does not ask by how much a bimodal return differs on average. The rule before it compared means with
Welch's t, "better" failed below 5 % of the other's number, and the error was divided otherwise (1 %, 2 %, 1 % and
1 %). With the same 254 runs both leave 29 of the 58 claims open. Four verdicts differ: this rule also finds that NN+
is not the fastest in rendezvous and that more pursuers are quicker, and leaves open that communication is not best in
rendezvous-local and that the recipe for rendezvous is better than the PD controller.

**Numbers.** *Final return* is the mean over the last ten iterations of a run, exploration noise included. Comparisons
show the best run of each method, greedy, from equal starts, with 95 % bootstrap intervals over episodes; the claims
rest on an evaluation of every run (`each_run.json`). *Minutes per run* are processor time on one core; in brackets,
wall-clock time on a machine that did other work too. *Caught* is the share of episodes with a capture, in the last ten
iterations of training and in 200 greedy episodes, at any time and by step {SOON}; *capture found* counts the trials
that catch by step {SOON} in at least half of the greedy ones, with a 95 % Wilson interval.

**Settings** are the paper's. Pursuit of one evader was trained with preset `calm` (initial log-deviation −0.7) as
well; these runs are marked. There are fewer iterations than in the authors' script, which stops after about 488:
{RENDEZVOUS} for rendezvous, {PURSUIT} for pursuit, {SEVERAL} for several evaders and {OF_ARCHITECTURES} for
architectures; `rendezvous-global-longer` has the authors' {AUTHORS_ITERATIONS}. `reproduce` does not make the runs by
which the preset was chosen (`results/settings/`) and those that went on for longer (`results/longer/`).
"""


def text() -> str:
    store = Store(RESULTS, RESULTS / "work")  # nothing is trained, so no work folder is ever made
    judged = {name: judgements(experiment, store, BUDGETS["paper"]) for name, experiment in experiments().items()}
    every = [judgement for each in judged.values() for judgement in each]
    ours = [judgement for judgement in every if judgement.claim.finding.startswith(OURS)]
    papers = [judgement for judgement in every if judgement not in ours]
    lines = [*ABOUT.splitlines(), "", f"**{summary(every)}** (the paper's: {summary(papers)}; ours: {summary(ours)})"]
    lines += at_a_glance(
        {(experiment.name, anchor(experiment)): judged[name] for name, experiment in experiments().items()}
    )
    for experiment in experiments().values():
        lines += ["", f"## {experiment.title}", "", f"`swarmbed reproduce {experiment.name}`", ""]
        lines += claim_table(judged[experiment.name])
        lines += body(experiment)
        if experiment.name == "pursuit-global":
            lines += settings_table()
    lines += longer_table()
    return "\n".join(lines) + "\n"


def anchor(experiment: Experiment) -> str:
    """Where the page's heading of an experiment is."""
    return re.sub(r"[^\w\- ]", "", experiment.title.lower()).replace(" ", "-")


def body(experiment: Experiment) -> list[str]:
    """Tables and figures of one experiment, as far as they exist."""
    folder = RESULTS / experiment.name
    lines: list[str] = []
    if (folder / "numbers.json").is_file():
        table = cost_table if experiment.measure else run_table
        lines += table(load(experiment.name, "numbers.json"))
    if (folder / "evaluation.json").is_file():
        lines += contest_table(load(experiment.name, "evaluation.json"))
    for figure in sorted(folder.glob("*.png")):
        lines += ["", f"![{experiment.title}](../results/{experiment.name}/{figure.name})"]
    return lines


if __name__ == "__main__":
    PATH.write_text(text())
