"""The documents that come in and go out."""

from marshmallow import Schema, ValidationError, fields, post_load, validates

from . import rules
from .models import Customer, Visit, WorkOrder


class CustomerSchema(Schema):
    name = fields.String(required=True, validate=rules.is_not_blank)
    phone = fields.String(required=True, validate=rules.is_phone)
    street = fields.String(load_default=None, allow_none=True)

    @post_load
    def make(self, data, **kwargs):
        return Customer(**data)


class VisitSchema(Schema):
    """Needs the set of `technicians` in its context."""

    begin = fields.DateTime(required=True)
    length = fields.TimeDelta(precision="minutes", required=True, validate=rules.is_length)
    technician = fields.String(required=True)

    @validates("technician")
    def is_one_of_ours(self, value):
        if value not in self.context["technicians"]:
            raise ValidationError(f"unknown technician {value!r}")

    @post_load
    def make(self, data, **kwargs):
        return Visit(**data)


class WorkOrderSchema(Schema):
    """Needs the set of `technicians` in its context."""

    number = fields.String(required=True, data_key="orderNumber", validate=rules.is_order_number)
    created_at = fields.DateTime(required=True, data_key="createdAt")
    priority = fields.Integer(load_default=3, strict=True, validate=rules.is_priority)
    customer = fields.Nested(CustomerSchema, required=True)
    skills = fields.List(fields.String(validate=rules.is_skill), load_default=list)
    visits = fields.List(fields.Nested(VisitSchema), required=True, validate=rules.is_not_empty)
    reference = fields.String(load_default=None, allow_none=True)
    notes = fields.String(load_default=None, allow_none=True)

    @post_load
    def make(self, data, **kwargs):
        data["skills"] = tuple(data["skills"])
        data["visits"] = tuple(data["visits"])
        return WorkOrder(**data)


class BoardVisitSchema(Schema):
    """Needs the `base_url` of links in its context."""

    class Meta:
        # Shown as they are.
        additional = ("reference", "notes")

    order = fields.String()
    visit = fields.Integer()
    technician = fields.String()
    begin = fields.DateTime()
    length = fields.TimeDelta(precision="minutes")
    customer = fields.String()
    link = fields.Function(lambda row, context: f"{context['base_url']}/orders/{row['order']}/visits/{row['visit']}")


class BoardSchema(Schema):
    day = fields.Date()
    visits = fields.List(fields.Nested(BoardVisitSchema))
