"""ELMo (Peters et al. 2018): the biLM, its files, its encoder, its mix, its training, and AllenNLP's beside it."""
