"""Results for people: summaries, tables, figures, the line that shows progress."""
