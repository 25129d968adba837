class Plan: pass
def plan(): pass
