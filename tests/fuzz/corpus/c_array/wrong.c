const char c[] = {'a', 300, x};
