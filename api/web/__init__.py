"""The pages of the service and what they load: nothing comes from another server."""
