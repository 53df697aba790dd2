int main(void) { return no_such_thing; }
