"""The sound of a combustion engine: gas from the cylinders through pipes and silencers, intake, and engine block."""
