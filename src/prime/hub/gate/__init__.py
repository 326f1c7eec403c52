"""The drafts gate: nothing leaves as the owner without the owner's approval, until the owner says otherwise."""
