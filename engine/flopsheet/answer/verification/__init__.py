"""What is done before an answer is returned: all cells computed, relations and limits checked, and warnings."""
