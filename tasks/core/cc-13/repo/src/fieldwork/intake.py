"""Taking work orders in."""

import json

from marshmallow import ValidationError

from .schemas import WorkOrderSchema
from .store import AlreadyStored


class Rejected(ValueError):
    """A document that is not taken; `errors` says where and why, by field."""

    def __init__(self, errors):
        super().__init__(json.dumps(errors, sort_keys=True, default=str))
        self.errors = errors


class Intake:
    """Checks work orders and stores them."""

    def __init__(self, store, technicians):
        self._store = store
        self._schema = WorkOrderSchema(context={"technicians": frozenset(technicians)})

    def receive(self, document):
        """Stores the work order in a document, an object or its JSON text, and returns it."""
        order = self._read(document)
        try:
            self._store.put(order)
        except AlreadyStored as error:
            raise Rejected({"orderNumber": [str(error)]}) from error
        return order

    def _read(self, document):
        if isinstance(document, (str, bytes)):
            try:
                document = json.loads(document)
            except ValueError as error:
                raise Rejected({"_document": [f"not JSON: {error}"]}) from error
        try:
            return self._schema.load(document)
        except ValidationError as error:
            raise Rejected(error.messages) from error
