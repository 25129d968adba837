class Results: pass
def run(): pass
