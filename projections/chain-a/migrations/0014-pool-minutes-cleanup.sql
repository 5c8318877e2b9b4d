-- What was merged goes when its lifetime is over: the engine by itself looks every half minute and, where it finds little, only
-- every five minutes, and minutes are merged again and again.
ALTER TABLE pool_minutes
    MODIFY SETTING cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10
