"""Answers for people and programs: Markdown write-ups from templates, JSON, text for a terminal.

`maths/` lays formulas out with symbols and numbers, `forms/` has a module for each format of pages, `writeup.py` makes
the object that templates see, `templating/` renders them in a sandbox, `sentences.py` words answers, `as_json.py` is
the documented JSON, `terminal.py` prints tables.
"""

# The module of each function by which objects of lower rooms show themselves.
DISPLAYS = {
    "answer_text": "flopsheet.report.sentences",
    "as_dict": "flopsheet.report.as_json",
    "graph": "flopsheet.report.pictures.dependencies",
    "markdown_table": "flopsheet.report.tables",
    "question_file_page": "flopsheet.report.pages",
    "question_page": "flopsheet.report.pages",
    "record_page": "flopsheet.report.pages",
    "sheet_page": "flopsheet.report.pages",
    "write_up": "flopsheet.report.pages",
}
