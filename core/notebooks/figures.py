"""The cell that notebooks with figures begin with: how figures look."""

# %%
import plotly.graph_objects as go
import plotly.io as pio

wide = go.layout.Template(layout={"xaxis": {"automargin": True}, "yaxis": {"automargin": True}})  # for the words at the axes
pio.templates["wide"], pio.templates.default = wide, "plotly_white+wide"
