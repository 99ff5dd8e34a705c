"""Events in the format of CloudEvents 1.0: the envelope that every receiver of events understands.

attribute          is
id                 the id of the event: the same event delivered twice has the same one
source             `/organisations/` and the key of the organisation
type               such as `goal.created`
subject            the id of the changed record
time               when it was changed
seq                the place among the organisation's events        (an extension, like those below)
subjectversion     the version of the record after the change
space, by, turn    where it lies, who changed it, and in which turn, if in any
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

if TYPE_CHECKING:
    from prefrontal.graph.outbox.record import PublishedEvent

_FORMAT = JSONFormat()


def source_of(org_key: str) -> str:
    """Return the source of the events of an organisation."""
    return f"/organisations/{org_key}"


def cloud_event_json(event: PublishedEvent) -> bytes:
    """Return an event as JSON on one line."""
    attributes = {
        "specversion": "1.0",
        "id": event.uid,
        "source": event.source,
        "type": event.type.value,
        "subject": event.subject,
        "time": event.at,
        "datacontenttype": "application/json",
        "seq": event.seq,
        "subjectversion": event.subject_version,
        "space": event.scope_id,
        "by": event.by_uid,
    }
    if event.turn is not None:
        attributes["turn"] = event.turn
    return _FORMAT.write(CloudEvent(attributes, event.data))
