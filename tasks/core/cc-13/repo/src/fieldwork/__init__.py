"""Work orders from partners, and the board of the depot."""

from .board import Board
from .intake import Intake, Rejected
from .models import Customer, Visit, WorkOrder
from .store import AlreadyStored, Store

__all__ = ["AlreadyStored", "Board", "Customer", "Intake", "Rejected", "Store", "Visit", "WorkOrder"]
