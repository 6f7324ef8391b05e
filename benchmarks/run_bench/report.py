"""The results as a page of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from http_bench.target import Spread

from .comparison import Comparison, Contender, Group


def page(heading: str, groups: Sequence[Group]) -> str:
    parts = [heading, _summary(groups), *map(_group, groups)]
    return "\n\n".join(parts) + "\n"


def _summary(groups: Iterable[Group]) -> str:
    rows = [
        (group.title, comparison.title, _pair(comparison, other), ratio, least_most, verdict)
        for group in groups
        for comparison in group.comparisons
        for other in comparison.contenders[1:]
        if other.name in comparison.budgets
        for ratio, least_most, verdict in [_ratio(comparison, other)]
    ]
    titles = ("", "workload", "ratio", "median", "least - most", "budget")
    return "## Budgets\n\n" + _table(titles, rows) if rows else "No budget was measured."


def _pair(comparison: Comparison, other: Contender) -> str:
    return f"{comparison.contenders[0].name} / {other.name}"


def _group(group: Group) -> str:
    columns = list(
        dict.fromkeys(
            column
            for comparison in group.comparisons
            for contender in comparison.contenders
            for column in contender.extras
        )
    )
    ours = f"{group.comparisons[0].contenders[0].name} / it"
    titles = ("workload", "server", group.unit, "least - most", *columns)
    rows = [row for comparison in group.comparisons for row in _rows(group, comparison, columns)]
    table = _table((*titles, ours, "least - most", "budget"), rows)
    return "\n\n".join(part for part in (f"## {group.title}", group.text, table) if part)


def _rows(group: Group, comparison: Comparison, columns: Sequence[str]) -> Iterable[Sequence[str]]:
    for number, contender in enumerate(comparison.contenders):
        title = comparison.title if number == 0 else ""
        if contender.absent:
            empty = [""] * (len(columns) + 4)
            yield (title, contender.name, _plain(contender.absent), *empty)
            continue
        spread = Spread.of(contender.values)
        extras = [contender.extras.get(column, "") for column in columns]
        values = (_number(spread.middle, group.digits), _least_most(spread, group.digits))
        ratio = _ratio(comparison, contender) if number else ("", "", "")
        verdict = _limit(contender, spread) or ratio[-1]
        yield (title, contender.name, *values, *extras, *ratio[:-1], verdict)


def _ratio(comparison: Comparison, other: Contender) -> tuple[str, str, str]:
    budget = comparison.budgets.get(other.name)
    if other.absent or comparison.contenders[0].absent:
        return "", "", "" if budget is None else "not measured"
    ratio = comparison.ratio(other)
    verdict = "" if budget is None else budget.verdict(ratio.middle)
    return _number(ratio.middle, 2), _least_most(ratio, 2), verdict


def _limit(contender: Contender, spread: Spread) -> str:
    if contender.limit is None:
        return ""
    met = spread.most < contender.limit
    return f"all < {contender.limit:g}: {'met' if met else '**MISSED**'}"


def _least_most(spread: Spread, digits: int) -> str:
    return f"{_number(spread.least, digits)} - {_number(spread.most, digits)}"


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def _plain(text: str) -> str:
    return text.replace("|", "/").replace("\n", " ")[:200]


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---", "---", *["---:"] * (len(titles) - 2)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
