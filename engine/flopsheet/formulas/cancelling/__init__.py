"""Operations that would cancel, written otherwise."""
