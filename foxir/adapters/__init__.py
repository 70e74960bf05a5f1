"""How does another program use foxir as one of its own parts? A module for each, imported when it is used.

    pandas         foxir.adapters.frames         answers, runs, scores and assessments as data frames
    LangChain      foxir.adapters.langchain      FoxirRetriever
    LlamaIndex     foxir.adapters.llamaindex     FoxirRetriever
    Haystack       foxir.adapters.haystack       FoxirRetriever
    PyTerrier      foxir.adapters.pyterrier      Retriever
    ir_measures    foxir.adapters.measures       the measures of foxir as measures of ir_measures
    ir_datasets    foxir.adapters.datasets       a collection, its topics and its assessments as a dataset

Each needs the program it adapts to, which the extra of its name installs: `pip install '.[langchain]'` in a checkout.
"""
