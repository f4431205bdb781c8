/* berth, the tool. Everything is in cli_main(), so that tests can link it. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
