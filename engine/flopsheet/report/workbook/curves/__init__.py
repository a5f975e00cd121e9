"""The curve of an answer over cells of a workbook: what it shows, and the sheet that computes and draws it."""
