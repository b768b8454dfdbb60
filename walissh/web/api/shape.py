"""What every JSON object that goes out is made from."""

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """A JSON object that goes out."""

    model_config = ConfigDict(frozen=True, from_attributes=True)
