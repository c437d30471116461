"""Can the labels of a benchmark be predicted from simple features, and do models use them?"""
