"""Names that packs give: which of several a name means, and `PACK:NAME` for any of them.

A later pack takes a name of the built-in pack, with a warning unless it states `override: true`. A name that two other
packs give means neither of them. What a pack itself names is looked up in that pack first, so that a name that another
pack adds changes none of its records; only `override: true` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from flopsheet.errors import RegistryError, UnknownNameError, did_you_mean, find, joined, some_of, suggest
from flopsheet.nearest import MOST_SUGGESTED
from flopsheet.registry.packs import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.packs import Pack

T = TypeVar("T")
_OWNED = re.compile(r"\w[\w.-]*/[\w.-]+")
_TUNED = re.compile(
    r"^meta-|[-_](?:instruct|chat|base|it|hf|pt)(?:[-_]v?\d[\d.]*)?(?=$|[-_])|[-_]\d{4}$", re.IGNORECASE
)


@dataclass(frozen=True)
class Holder(Generic[T]):
    """A thing that a pack declares, under one of its names."""

    pack: Pack
    item: T
    place: str  # where it is declared, in messages
    key: str  # its own name, of which others are aliases
    override: bool = False  # whether it may take the names of others
    silence: str = "Write 'override: true' if this is meant"  # what ends the warning that it takes one

    @property
    def is_built_in(self) -> bool:
        """Whether the built-in pack declares it."""
        return self.pack.origin == BUILT_IN

    def address(self, name: str) -> str:
        """Return a name of it with that of its pack: `built-in:h100`."""
        return f"{self.pack.address}:{name}"


class Names(Generic[T]):
    """All things of a kind, such as chips or sheets, by the names that packs give them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.holders: dict[str, list[Holder[T]]] = {}  # all of a name, in the order of packs
        self.shadows: list[tuple[Holder[T], RegistryError]] = []  # those that should state an override, or should not
        self.spellings: dict[str, set[str]] = {}  # own names of what a spelling may mean

    def add(self, holder: Holder[T], aliases: Iterable[str] = (), elsewhere: Iterable[str] = ()) -> None:
        """Add a thing under its name and its aliases; `elsewhere` are names that others give it, found and not listed.

        Raises:
            RegistryError: its pack gives one of these names to something else.
        """
        names = (holder.key, *aliases)
        for name in names:
            for other in self.live(name):
                if other.pack == holder.pack:
                    problem = f"The {self.kind} '{other.key}' in {other.place} also has the name '{name}'."
                    raise RegistryError(self._where(holder), problem, "Rename one of the two.")
        taken = {name: others for name in names if (others := self.live(name))}
        if holder.override and not taken:
            problem = f"It states 'override: true', and no earlier pack has a {self.kind} of this name."
            self._warn(holder, problem, suggest(holder.key, self.holders) or "Remove 'override'.")
        for name, others in taken.items():
            if not holder.override and all(other.is_built_in for other in others):
                other = others[-1]
                alias = "" if name == other.key else f" '{other.key}'"
                problem = f"It takes the name '{name}' of the built-in {self.kind}{alias} ({other.place})."
                fix = f"{holder.silence}, and write '{other.address(name)}' for the built-in one."
                self._warn(holder, problem, fix)
        for name in names:
            self.holders.setdefault(name, []).append(holder)
        for name in (*names, *elsewhere):
            self.spellings.setdefault(spelling(name), set()).add(holder.key)

    def _warn(self, holder: Holder[T], problem: str, fix: str) -> None:
        self.shadows.append((holder, RegistryError(self._where(holder), problem, fix)))

    @staticmethod
    def _where(holder: Holder[T]) -> str:
        return f"{holder.place}, key '{holder.key}'" if ":" in holder.place else holder.place

    def addressed(self) -> dict[str, None]:
        """Return all names as `PACK:NAME`."""
        return dict.fromkeys(holder.address(name) for name, holders in self.holders.items() for holder in holders)

    def live(self, name: str) -> list[Holder[T]]:
        """Return those of a name that no later one overrides."""
        holders = self.holders.get(name, [])
        return holders[max((place for place, holder in enumerate(holders) if holder.override), default=0) :]

    def contenders(self, name: str) -> list[Holder[T]]:
        """Return those that a name may mean: one, unless two packs that are not built in give it."""
        live = self.live(name)
        return [holder for holder in live if not holder.is_built_in] or live

    def winner(self, name: str) -> Holder[T] | None:
        """Return the one that a name means; None where there is none, or more than one."""
        contenders = self.contenders(name)
        return contenders[0] if len(contenders) == 1 else None

    def lookup(self, text: str, where: str, pack: Pack | None = None) -> Holder[T] | None:
        """Return the one that a name or `PACK:NAME` means, to a pack if one is given; None where there is none.

        Where no name is that of the text, one that differs in case is meant, then one that is spelled alike.

        Raises:
            RegistryError: two packs give the name.
        """
        address, sign, name = text.rpartition(":")
        name = self._spelling(name)
        own = [holder for holder in self.live(name) if holder.pack == pack]
        contenders = own or self.contenders(name)
        if sign:
            contenders = [holder for holder in self.holders.get(name, ()) if holder.pack.address == address]
        if len(contenders) > 1:
            raise self._clash(name, contenders, where)
        return contenders[0] if contenders else None

    def _spelling(self, name: str) -> str:
        """Return the known name that differs from a name in case alone, or is spelled alike; or the name itself."""
        if name in self.holders:
            return name
        alike = next((known for known in self.holders if known.casefold() == name.casefold()), None)
        spellings = (spelling(name), spelling(_without_owner(name)))
        own = next((self.spellings[text] for text in spellings if text in self.spellings), ())
        return alike or (next(iter(own)) if len(own) == 1 else name)

    def _clash(self, name: str, holders: list[Holder[T]], where: str) -> RegistryError:
        places = [f"'{holder.pack.name}' ({holder.place})" for holder in holders]
        addresses = list(dict.fromkeys(f"'{holder.address(name)}'" for holder in holders))
        problem = f"The packs {joined(places)} both define the {self.kind} '{name}'."
        fix = f"Write {joined(addresses, 'or')}." if len(addresses) > 1 else "Rename the folder of one of the two."
        return RegistryError(where, problem, fix)

    def clashes(self) -> list[RegistryError]:
        """Return which names several packs give, so that they mean nothing by themselves."""
        several = {name: contenders for name in self.holders if len(contenders := self.contenders(name)) > 1}
        return [self._clash(name, holders, self._where(holders[-1])) for name, holders in several.items()]

    @property
    def warnings(self) -> list[RegistryError]:
        """What is doubtful: names that are those of built-in things, overrides of nothing, names of two packs."""
        return [*(warning for _, warning in self.shadows), *self.clashes()]

    def count(self, pack: Pack) -> int:
        """Return how many things a pack declares."""
        holders = (holder for name, of_name in self.holders.items() for holder in of_name if holder.key == name)
        return sum(holder.pack == pack for holder in holders)

    def shown_name(self, holder: Holder[T]) -> str:
        """Return the name by which a question finds a thing: its own, or `PACK:NAME` where that means another."""
        return holder.key if self.winner(holder.key) is holder else holder.address(holder.key)

    def warnings_of(self, item: T) -> list[RegistryError]:
        """Return the warnings about a thing."""
        return [warning for holder, warning in self.shadows if holder.item is item]


def spelling(name: str) -> str:
    """Return a name without case, and with separators only between digits: `llama2-7b` for Llama_2_7B."""
    folded = name.casefold().replace("+", "plus")
    return re.sub(r"(?<!\d)[-_ ]|[-_ ](?!\d)", "", re.sub(r"(?<=\d)[-_ .](?=\d)", "-", folded))


def as_spelled(text: str, known: Iterable[str], kind: str, where: str, *, more: str = "") -> str:
    """Return the known text that is spelled like one: `data center` for `datacenter`.

    Raises:
        UnknownNameError: there is none; the message has the nearest, and `more`.
    """
    names = sorted(known)
    spelled = {spelling(name): name for name in names}.get(spelling(text), text)
    find(spelled, names, kind, where, more=more)
    return spelled


def _without_owner(name: str) -> str:
    """Return the name of a model without its owner: `Qwen2.5-7B` of `Qwen/Qwen2.5-7B`; of paths nothing is left out."""
    return name.partition("/")[2] if _OWNED.fullmatch(name) else name


def _untuned(name: str) -> str:
    """Return the name of a model without its owner and what tuning and dates add: `Qwen2.5-7B` of `-Instruct`."""
    return _TUNED.sub("", _without_owner(name))


def unknown_name(  # noqa: PLR0913  # the parts of one message
    text: str, every: Iterable[Names[T]], kind: str, where: str, *, shown: Iterable[str] = (), more: str = ""
) -> UnknownNameError:
    """Return the error of a name or `PACK:NAME` that means nothing, with the nearest names; some are listed."""
    several = list(every)
    address, sign, _ = text.rpartition(":")
    known, aliases = list(shown), [name for names in several for name in names.holders]
    if sign:
        known = [name for names in several for name in names.addressed()]
        packs = list(dict.fromkeys(name.rpartition(":")[0] for name in known))
        more, aliases = more if address in packs else f"Packs: {some_of(packs)}. {more}".strip(), []
    like = _untuned(text)
    begun = [name for name in sorted(known, key=len) if like and not sign and spelling(name).startswith(spelling(like))]
    if begun and text not in aliases:
        fix = f"{did_you_mean(begun[:MOST_SUGGESTED])} {more}"
        return UnknownNameError(where, f"There is no {kind} '{text}'.", fix.strip())
    try:
        find(text, known, kind, where, aliases=aliases, more=more, like=like)
    except UnknownNameError as error:
        return error
    return UnknownNameError(where, f"There is no {kind} '{text}'.", more)
