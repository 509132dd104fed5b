"""The same jobs on a Dask cluster: shards in a shared place, work spread over processes, answers equal to one machine's."""
