"""The computation of Elmoscope, independent of Streamlit."""

__version__ = "0.1.0"
