"""What a task promises: five pure functions that treat all agents alike and never leave the real numbers."""

from swarmbed.contracts import task_absence, task_numbers, task_rules, task_shapes, task_time
from swarmbed.contracts.check import Check

CHECKS: list[Check] = [
    *task_shapes.CHECKS,
    *task_rules.CHECKS,
    *task_absence.CHECKS,
    *task_numbers.CHECKS,
    *task_time.CHECKS,
]
