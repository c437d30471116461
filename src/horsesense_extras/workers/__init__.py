"""A run asked by workers in processes or on machines of their own, which may die at any time.

    work      what a worker does: it asks a shard into a store of its own
    keep      where stores go that must outlive the machine of a worker
    budget    leases: what a shard may spend of the budget of all
    schedule  which shard is asked next, and what becomes of it when its worker dies
    drive     the whole: shards to workers, then one run of what they stored

None of these knows what the workers run in: that is a pool (see `integrations.ray_engine`).
"""
