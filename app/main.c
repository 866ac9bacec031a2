/* stowage: parse the command line and hand over. */
#include "cli/cli.h"

int main(int argc, char **argv) {
    return sw_cli_main(argc, argv);
}
