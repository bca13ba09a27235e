"""Server-sent events, and text with what it cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from turnpike_edge._object import CallInfo
from turnpike_edge.errors import APIConnectionError

_RECONNECTS = 10


class Text(str):
    """Text, and the call that returned it."""

    call: CallInfo


@dataclass(frozen=True)
class Event:
    """An event of a stream."""

    event: str
    """Its kind, such as "phase" or "complete"."""
    data: Any
    id: str


class EventReader:
    """Puts events together from lines, and knows where a stream that was cut goes on."""

    def __init__(self) -> None:
        self.complete = False
        self._last = ""
        self._cuts = 0
        self._fields: Dict[str, List[str]] = {}

    def headers(self) -> Dict[str, str]:
        self._fields = {}
        return {"Accept": "text/event-stream", **({"Last-Event-ID": self._last} if self._last else {})}

    def pause(self) -> float:
        """Returns how long to wait before the stream is opened again."""
        self._cuts += 1
        if self._cuts > _RECONNECTS:
            raise APIConnectionError(f"the stream was cut {self._cuts} times")
        return min(5.0, 0.2 * float(2**self._cuts))

    def feed(self, line: str) -> Optional[Event]:
        line = line.rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            if name:  # a line that begins with a colon keeps the connection alive
                self._fields.setdefault(name, []).append(value[1:] if value.startswith(" ") else value)
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        self._last = fields.get("id", [self._last])[-1]
        event = Event(fields.get("event", ["message"])[-1], json.loads("\n".join(fields["data"])), self._last)
        self.complete = event.event == "complete"
        return event
