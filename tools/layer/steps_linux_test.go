package layer

func steps(seed int64) {}
